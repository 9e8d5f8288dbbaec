/** A broken law: its id and what was seen. */

class LawBroken extends Error {
  readonly law: string;

  constructor(law: string, what: string) {
    super(`${law} broken: ${what}`);
    this.name = 'LawBroken';
    this.law = law;
  }
}

export function holds(condition: boolean, law: string, what: () => string): asserts condition {
  if (!condition) throw new LawBroken(law, what());
}
