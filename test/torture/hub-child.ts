/** A hub process on a folder and a port; it is killed and restarted on the same. Samples its memory all the time. */

import { readFileSync } from 'node:fs';
import { createHub } from 'parley-hub';
import type { FromHub, HubPlan, Memory, ToHub } from './messages.ts';

const plan = JSON.parse(process.argv[2] ?? '{}') as HubPlan;
let [peakRss, peakHeap] = [0, 0];

// The parent has ended, so end too.
process.on('disconnect', () => process.exit(1));
process.on('message', ({ kind }: ToHub) => {
  if (kind === 'mark') [peakRss, peakHeap] = [0, 0];
  sample();
  tell({ kind: 'memory', memory: memory() });
});
setInterval(sample, 20).unref();

const hub = await createHub({ data: plan.folder });
const { port } = await hub.listen({ port: plan.port, auth: { none: true } });
tell({ kind: 'ready', port });

function sample(): void {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
  peakHeap = Math.max(peakHeap, heap());
}

function heap(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function memory(): Memory {
  return { rss: process.memoryUsage.rss(), heap: heap(), peakRss, peakHeap, maxRss: highWaterMark() ?? peakRss };
}

/** The system's figure, or null. (`resourceUsage` also counts the parent's memory before the fork.) */
function highWaterMark(): number | null {
  try {
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

function tell(message: FromHub): void {
  if (process.connected) process.send?.(message, () => {});
}
