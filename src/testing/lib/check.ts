/** One check of a contract; any test runner can run it. */
export interface Check {
  readonly title: string;
  /** Throws an error that says what was expected. */
  run(): void;
}

export type CheckTable<Trial> = readonly (readonly [title: string, check: (trial: Trial) => void])[];

export function checksOf<Trial>(table: CheckTable<Trial>, trial: Trial): readonly Check[] {
  return table.map(([title, check]) => ({ title, run: () => check(trial) }));
}
