/** Marks along the log, by kind; for the eye alone, as each of them is a line of the transcript too. */

import { useMemo } from 'preact/hooks';
import type { MarkAt } from './timeline-marks.ts';

const WIDTH = 1000;

export function Timeline({ marks, head, at }: { marks: readonly MarkAt[]; head: number; at: number }) {
  const place = (seq: number): number => (head <= 1 ? 0 : ((seq - 1) / (head - 1)) * WIDTH);
  // One line for all of a kind: however many there are, the page has as many elements.
  const ticks = useMemo(() => {
    const byKind = new Map<string, string>();
    for (const { seq, kind } of marks) byKind.set(kind, `${byKind.get(kind) ?? ''}M${place(seq).toFixed(1)} 2v12`);
    return [...byKind];
  }, [marks, head]);
  return (
    <svg class="timeline" viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" aria-hidden="true">
      <path class="past" d={`M0 8H${place(at)}`} />
      <path class="rest" d={`M${place(at)} 8H${WIDTH}`} />
      {ticks.map(([kind, line]) => (
        <path key={kind} class={`tick mark-${kind}`} d={line} />
      ))}
    </svg>
  );
}
