/** Names of version 0.1. They stay importable until 1.0. */

export type {
  /** @deprecated since 0.2; use `BudgetHold`. */
  BudgetHold as HeldBudget,
  /** @deprecated since 0.2; use `BudgetRequest`. */
  BudgetRequest as CallNeed,
} from './agent/agent-fn.ts';
export type {
  /** @deprecated since 0.2; use `UnpricedPolicy`. */
  UnpricedPolicy as Unpriced,
} from './budget/account.ts';
export type {
  /** @deprecated since 0.2; use `AgentTurn`. */
  AgentTurn as TakenTurn,
} from './joining/handlers.ts';
export type {
  /** @deprecated since 0.2; use `ConnectIdentity`. */
  ConnectIdentity as OwnOptions,
} from './joining/join-options.ts';
export type {
  /** @deprecated since 0.2; use `ProgramResult`. */
  ProgramResult as Ran,
  /** @deprecated since 0.2; use `RunListener`. */
  RunListener as RunWatch,
} from './processes/program.ts';
