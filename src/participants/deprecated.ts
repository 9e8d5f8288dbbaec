/** Earlier names. They stay importable until 1.0. */

export type {
  /** @deprecated Use `BudgetHold`. */
  BudgetHold as HeldBudget,
  /** @deprecated Use `BudgetRequest`. */
  BudgetRequest as CallNeed,
} from './agent/agent-fn.ts';
export type {
  /** @deprecated Use `UnpricedPolicy`. */
  UnpricedPolicy as Unpriced,
} from './budget/account.ts';
export type {
  /** @deprecated Use `AgentTurn`. */
  AgentTurn as TakenTurn,
} from './joining/handlers.ts';
export type {
  /** @deprecated Use `ConnectIdentity`. */
  ConnectIdentity as OwnOptions,
} from './joining/join-options.ts';
export type {
  /** @deprecated Use `ProgramResult`. */
  ProgramResult as Ran,
  /** @deprecated Use `RunListener`. */
  RunListener as RunWatch,
} from './processes/program.ts';
