/** Contract suites and test doubles for whoever extends the hub. */

export type { AdapterCheck } from './adapter-checks.ts';
export { adapterChecks } from './adapter-checks.ts';
export type { GoldenLog, GoldenStep } from './adapter-contract/golden-log.ts';
export { recordGolden } from './adapter-contract/golden-log.ts';
export type { DraftSource } from './adapter-contract/random-history.ts';
export type { AdapterCheckOptions } from './adapter-contract/trial.ts';
export type { DescribeAdapterOptions } from './describe-adapter.ts';
export { describeAdapter } from './describe-adapter.ts';
export { describeCondition, describeTarget } from './describe-rule-part.ts';
export type { DescribeViewOptions } from './describe-view.ts';
export { describeView } from './describe-view.ts';
export type { KeepCursor, KeepUnit } from './faulty-store.ts';
export { FaultyStore } from './faulty-store.ts';
export type { HistoryOptions } from './history.ts';
export { createdMetadata, draftOf, History, idOf } from './history.ts';
export { Peer } from './peer.ts';
export type { Random } from './random.ts';
export { seededRandom } from './random.ts';
export type { PartCheck, PartCheckOptions } from './rule-part-contract/part-checks.ts';
export { conditionChecks, targetChecks } from './rule-part-contract/part-checks.ts';
export { SimClock } from './sim-clock.ts';
export type { ViewCheck } from './view-checks.ts';
export { viewChecks } from './view-checks.ts';
export type { ViewCheckOptions } from './view-contract/trial.ts';
export type { WorldOptions } from './world.ts';
export { seededIds, World } from './world.ts';
