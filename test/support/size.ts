/** How much a test repeats: `npm test` is quick, `npm run test:deep` is thorough (it sets PARLEY_DEEP). Same files, same rules. */

import { it } from 'vitest';

export const isDeep: boolean = (process.env.PARLEY_DEEP ?? '') !== '';

/** Number of random runs, histories, kills or cuts: the first in the deep run, else the second. */
export function runs(deep: number, quick: number = Math.min(deep, Math.max(100, Math.ceil(deep / 10)))): number {
  return isDeep ? deep : quick;
}

/** The whole list in the deep run, else some of it, evenly spread. */
export function some<T>(list: readonly T[], quick: number): readonly T[] {
  if (isDeep || list.length <= quick) return list;
  if (quick === 1) return list.slice(0, 1);
  return Array.from({ length: quick }, (_, at) => list[Math.round((at * (list.length - 1)) / (quick - 1))] as T);
}

/** A slow test of a rule that a quick test cites too: deep run only. */
export const itDeep: ReturnType<typeof it.runIf> = it.runIf(isDeep);
