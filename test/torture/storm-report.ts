/** What a storm came to, and how much memory it may take. */

import type { StormReport } from './storm.ts';

const PER_CLIENT_BYTES = 64 * 1024;

/** 1.5 times what the hub takes when nothing happens, and 64 KiB for each client. */
export function memoryBar({ steady, clients }: Pick<StormReport, 'steady' | 'clients'>): number {
  return 1.5 * steady.rss + PER_CLIENT_BYTES * clients;
}

export function stormSummary(report: StormReport): readonly string[] {
  const { clients, cut, count, steady, afterCut, afterKill } = report;
  return [
    `clients ${clients}, cut at once ${cut}; away ${count.away}, ended ${count.closed}`,
    `posts ${count.posted} of ${count.asked}, heard ${count.heard}; streams with a loss, a double or another order ${count.incomplete}`,
    `memory of the hub (resident): steady ${mib(steady.rss)}, peak after the cut ${mib(afterCut.peakRss)}, peak after the kill ${mib(afterKill.maxRss)}, bar ${mib(memoryBar(report))}`,
    `(heap and external: steady ${mib(steady.heap)}, peaks ${mib(afterCut.peakHeap)} and ${mib(afterKill.peakHeap)})`,
  ];
}

/**
 * Resident memory is what the machine has to have, and the system's own high-water mark cannot miss a peak; heap and external
 * would leave out what sockets cost outside of JavaScript.
 */
export function stormBroken(report: StormReport): readonly string[] {
  const { count, afterCut, afterKill } = report;
  const bar = memoryBar(report);
  const faults: string[] = [];
  if (count.away > 0 || count.closed > 0) faults.push(`${count.away} are still away, and ${count.closed} gave up`);
  if (count.posted !== count.asked) faults.push(`${count.asked - count.posted} posts were never answered`);
  if (count.incomplete > 0)
    faults.push(`${count.incomplete} streams are not what was said, ${count.wrong} of them wrong`);
  for (const [name, peak] of [
    ['the cut', afterCut.peakRss],
    ['the kill', afterKill.maxRss],
  ] as const) {
    if (peak > bar) faults.push(`the hub took ${mib(peak)} after ${name}; expected at most ${mib(bar)}`);
  }
  return faults;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
