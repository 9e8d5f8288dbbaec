/** What the hub has seen of an agent at one capability, in words. Pure. */

import type { Observed } from '../../core/records/identity/resume-schema.ts';
import { duration } from '../time/time-text.ts';

export function observedWords([capability, seen]: readonly [string, Observed]): string {
  const { n, completed, failed, expired, p50_latency_ms: halfMs } = seen;
  const half = halfMs === null ? '' : `; half of them within ${halfMs < 1000 ? `${halfMs} ms` : duration(halfMs)}`;
  return `${capability}: ${n} ${n === 1 ? 'task' : 'tasks'}, ${completed} completed, ${failed} failed, ${expired} expired${half}`;
}
