/** A measured ratio or value with its limits, and the setting of a benchmark. */

export interface Figure {
  readonly name: string;
  readonly what: string;
  /** Absolute numbers with units; valid for this machine now. */
  readonly measured: string;
  readonly raw: string;
  readonly value: number;
  /** For values that are no ratio; the limits use it too. */
  readonly unit?: 'ms' | 'bytes';
  /** Required and desired limits; null = informational. */
  readonly must: number | null;
  readonly aim: number | null;
  readonly better: 'more' | 'less';
}

export interface Bench {
  readonly names: readonly string[];
  run(setting: Setting): Promise<readonly Figure[]>;
}

export interface Setting {
  readonly quick: boolean;
  /** Its own folder, removed afterwards. */
  readonly folder: string;
  note(text: string): void;
}

export function passes({ value, must, better }: Figure): boolean {
  return must === null || (better === 'more' ? value >= must : value <= must);
}
