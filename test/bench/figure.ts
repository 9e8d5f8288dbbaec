/** One measured ratio, or what else has a unit, with its bars, and what a benchmark is given to measure it. */

export interface Figure {
  readonly name: string;
  readonly what: string;
  /** In words, with units: absolute numbers are of this machine and this minute only. */
  readonly measured: string;
  readonly raw: string;
  readonly value: number;
  /** Of what is no ratio; the bars have it too. */
  readonly unit?: 'ms' | 'bytes';
  /** What resolves the issue, and where we want to be; null = printed for information. */
  readonly must: number | null;
  readonly aim: number | null;
  readonly better: 'more' | 'less';
}

export interface Bench {
  /** The figures it gives. */
  readonly names: readonly string[];
  run(setting: Setting): Promise<readonly Figure[]>;
}

export interface Setting {
  readonly quick: boolean;
  /** A folder of its own, removed afterwards. */
  readonly folder: string;
  /** Progress, for people. */
  note(text: string): void;
}

export function passes({ value, must, better }: Figure): boolean {
  return must === null || (better === 'more' ? value >= must : value <= must);
}
