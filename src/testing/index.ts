/** Contract suites and test doubles for extensions of the hub. */

export { adapterChecks } from './adapter-contract/adapter-checks.ts';
export type { GoldenLog, GoldenStep } from './adapter-contract/golden-log.ts';
export { recordGolden } from './adapter-contract/golden-log.ts';
export type { DraftSource } from './adapter-contract/random-history.ts';
export type { AdapterCheckOptions } from './adapter-contract/trial.ts';
export type { DescribeAdapterOptions, DescribeViewOptions } from './describe-parts.ts';
export {
  describeAdapter,
  describeCondition,
  describeEvaluator,
  describeHandler,
  describeTarget,
  describeView,
} from './describe-parts.ts';
export type { KeepCursor, KeepUnit } from './doubles/faulty-store.ts';
export { FaultyStore } from './doubles/faulty-store.ts';
export { Peer } from './doubles/peer.ts';
export { SimClock } from './doubles/sim-clock.ts';
export type { WorldOptions } from './doubles/world.ts';
export { seededIds, World } from './doubles/world.ts';
export { evaluatorChecks, handlerChecks } from './expectation-contract/checks.ts';
export type { EvaluatorCheckOptions } from './expectation-contract/options.ts';
export type {
  Check as AdapterCheck,
  Check as ExpectationCheck,
  Check as PartCheck,
  Check as ViewCheck,
} from './lib/check.ts';
export type { HistoryOptions } from './lib/history.ts';
export { createdMetadata, draftOf, History, idOf } from './lib/history.ts';
export type { Random } from './lib/random.ts';
export { seededRandom } from './lib/random.ts';
export type { PartCheckOptions } from './rule-part-contract/part-checks.ts';
export { conditionChecks, targetChecks } from './rule-part-contract/part-checks.ts';
export { viewChecks } from './view-contract/checks.ts';
export type { ViewCheckOptions } from './view-contract/trial.ts';
