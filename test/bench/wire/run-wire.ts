/** Runs the requested benches, each in its own folder. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { BAD_PEER_NAMES, badPeer } from './bad-peer.ts';
import { growth } from './growth.ts';
import { LATENCY_NAMES, latency } from './latency.ts';
import { KINDS, type Kind, Rigs } from './rigs.ts';
import type { Sizes, WireBench } from './setting.ts';
import { THROUGHPUT_NAMES, throughput } from './throughput.ts';

const PARTS: readonly (WireBenchPart & { readonly kinds: readonly Kind[] })[] = [
  { names: THROUGHPUT_NAMES, kinds: KINDS, run: throughput },
  { names: LATENCY_NAMES, kinds: ['commit', 'parley'], run: latency },
  { names: BAD_PEER_NAMES, kinds: ['parley'], run: badPeer },
];

interface WireBenchPart {
  readonly names: readonly string[];
  run(rigs: Rigs, ...rest: Parameters<WireBench['run']>): ReturnType<WireBench['run']>;
}

const sideBySide: WireBench = {
  names: PARTS.flatMap(({ names }) => names),

  async run(setting) {
    const wanted = PARTS.filter(({ names }) => names.some(setting.wants));
    const kinds = KINDS.filter((kind) => wanted.some((part) => part.kinds.includes(kind)));
    return Rigs.using(kinds, setting, async (rigs) => {
      const figures = [];
      for (const { run } of wanted) figures.push(...(await run(rigs, setting)));
      return figures;
    });
  },
};

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
