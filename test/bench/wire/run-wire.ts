/** Runs the requested benches, each in its own folder. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { growth } from './growth.ts';
import type { Sizes } from './setting.ts';
import { sideBySide } from './side-by-side.ts';

const BENCHES = [sideBySide, growth];

export const WIRE_NAMES: readonly string[] = BENCHES.flatMap(({ names }) => names);

export interface WireRun {
  readonly sizes: Sizes;
  /** Figures by name or prefix; none = all. */
  readonly only: readonly string[];
  readonly profile: string | null;
  note(text: string): void;
}

export async function runWire({ sizes, only, profile, note }: WireRun): Promise<readonly Figure[]> {
  const isMeant = (asked: string, name: string) =>
    WIRE_NAMES.includes(asked) ? name === asked : name.startsWith(asked);
  const wants = (name: string) => only.length === 0 || only.some((asked) => isMeant(asked, name));
  const figures: Figure[] = [];
  for (const bench of BENCHES.filter(({ names }) => names.some(wants))) {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-wire-'));
    try {
      figures.push(...(await bench.run({ sizes, folder, profile, wants, note })).filter(({ name }) => wants(name)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return figures;
}
