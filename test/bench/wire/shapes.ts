/** The measured shapes of talk, and their limits. */

import type { Kind } from './rig.ts';

export type Rival = Exclude<Kind, 'parley'>;

export interface Bar {
  readonly must: number;
  readonly aim: number;
}

export interface Shape {
  readonly sessions: number;
  /** In each of them. */
  readonly inFlight: number;
  readonly parties: 2 | 4;
  readonly bars: Readonly<Partial<Record<Rival, Bar>>>;
}

export const RIVALS: Readonly<Record<Rival, string>> = {
  plain: '(a) plain JSON relay',
  corked: '(b) corked JSON relay',
  commit: '(c) corked relay with a group commit',
};

export const SHAPES: readonly Shape[] = [
  { sessions: 1, inFlight: 1, parties: 2, bars: { commit: { must: 0.8, aim: 0.95 } } },
  { sessions: 1, inFlight: 8, parties: 2, bars: {} },
  { sessions: 64, inFlight: 1, parties: 2, bars: { plain: { must: 0.55, aim: 0.8 } } },
  {
    sessions: 64,
    inFlight: 8,
    parties: 2,
    bars: { plain: { must: 1, aim: 1.8 }, corked: { must: 0.5, aim: 0.75 }, commit: { must: 0.55, aim: 0.8 } },
  },
  { sessions: 256, inFlight: 1, parties: 2, bars: {} },
  { sessions: 256, inFlight: 8, parties: 2, bars: {} },
  { sessions: 64, inFlight: 1, parties: 4, bars: {} },
  { sessions: 64, inFlight: 8, parties: 4, bars: {} },
];

export function figureName({ sessions, inFlight, parties }: Shape, rival: Rival): string {
  return `wire_${sessions}x${inFlight}${parties === 2 ? '' : `_${parties}_parties`}_vs_${rival}`;
}

export function namesOf(shape: Shape): string[] {
  return (Object.keys(RIVALS) as Rival[]).map((rival) => figureName(shape, rival));
}
