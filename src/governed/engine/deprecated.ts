/** Names of version 0.1. They stay importable until 1.0. */

export type {
  /** @deprecated since 0.2; use `AcceptanceFailure`. */
  AcceptanceFailure as NotAccepted,
  /** @deprecated since 0.2; use `AcceptInput`. */
  AcceptInput as ToAccept,
} from './acceptance/accept.ts';
export {
  /** @deprecated since 0.2; use `AcceptanceIndex`. */
  type AcceptanceIndex as Books,
  /** @deprecated since 0.2; use `buildAcceptanceIndex`. */
  buildAcceptanceIndex as booksOf,
} from './acceptance/acceptance-index.ts';
export {
  /** @deprecated since 0.2; use `checkDecision`. */
  checkDecision as refusedDecision,
} from './acceptance/decisions.ts';
export type {
  /** @deprecated since 0.2; use `GateRequest`. */
  GateRequest as GateAsked,
} from './coordinator/approve.ts';
export {
  /** @deprecated since 0.2; use `ownerByPath`. */
  ownerByPath as ownerByText,
  /** @deprecated since 0.2; use `ProjectInput`. */
  type ProjectInput as ToProject,
} from './coordinator/projection.ts';
export {
  /** @deprecated since 0.2; use `assignEventIds`. */
  assignEventIds as withIds,
} from './events/events.ts';
export {
  /** @deprecated since 0.2; use `describeReason`. */
  describeReason as sentenceOf,
} from './gates/verdict.ts';
export type {
  /** @deprecated since 0.2; use `EscalationInput`. */
  EscalationInput as EscalationGiven,
} from './run/block.ts';
export type {
  /** @deprecated since 0.2; use `RunInit`. */
  RunInit as Beginning,
  /** @deprecated since 0.2; use `TransitionRequest`. */
  TransitionRequest as TransitionAsked,
} from './run/transition.ts';
export type {
  /** @deprecated since 0.2; use `ValidateInput`. */
  ValidateInput as ToValidate,
} from './turn-result/validate.ts';
