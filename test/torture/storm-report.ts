/** The result of a storm, and the memory bound. */

import type { StormReport } from './storm.ts';

const PER_CLIENT_BYTES = 64 * 1024;

/** 1.5 times the idle memory of the hub, and 64 KiB per client. */
function memoryBar({ steady, clients }: StormReport): number {
  return 1.5 * steady.rss + PER_CLIENT_BYTES * clients;
}

/**
 * Resident memory includes the cost of sockets, and the system's high-water mark misses no peak. The peak of the new
 * process counts from its start.
 */
function peaksOf({ afterCut, afterKill }: StormReport): readonly (readonly [string, number])[] {
  return [
    ['the cut', afterCut.peakRss],
    ['the kill', afterKill.maxRss],
  ];
}

export function stormSummary(report: StormReport): readonly string[] {
  const { clients, cut, count, steady, afterCut, afterKill } = report;
  const heaps = [steady.heap, afterCut.peakHeap, afterKill.peakHeap].map(mib).join(', ');
  return [
    `clients ${clients}, cut at once ${cut}; away ${count.away}, ended ${count.closed}`,
    `posts ${count.posted} of ${count.asked}, heard ${count.heard}; streams with a loss, a double or another order ${count.incomplete}`,
    `resident memory of the hub: steady ${mib(steady.rss)}, bar ${mib(memoryBar(report))}${peaksOf(report)
      .map(([name, peak]) => `, peak after ${name} ${mib(peak)}`)
      .join('')}`,
    `heap and external: steady, peak after the cut, peak after the kill: ${heaps}`,
  ];
}

export function stormBroken(report: StormReport): readonly string[] {
  const { count } = report;
  const faults: string[] = [];
  if (count.away > 0 || count.closed > 0) faults.push(`${count.away} are still away, and ${count.closed} gave up`);
  if (count.posted !== count.asked) faults.push(`${count.asked - count.posted} posts were never answered`);
  if (count.incomplete > 0) {
    faults.push(`${count.incomplete} streams are not what was said, ${count.wrong} of them wrong`);
  }
  const bar = memoryBar(report);
  for (const [name, peak] of peaksOf(report)) {
    if (peak > bar) faults.push(`the hub took ${mib(peak)} after ${name}; expected at most ${mib(bar)}`);
  }
  return faults;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
