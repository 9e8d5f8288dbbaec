/** Marks along the log, by kind; for the eye alone, as each of them is a line of the transcript too. */

import type { Mark } from './marks.ts';

const WIDTH = 1000;

export function Timeline({ marks, head, at }: { marks: readonly Mark[]; head: number; at: number }) {
  const place = (seq: number): number => (head <= 1 ? 0 : ((seq - 1) / (head - 1)) * WIDTH);
  return (
    <svg class="timeline" viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" aria-hidden="true">
      <line class="past" x1={0} x2={place(at)} y1={8} y2={8} />
      <line class="rest" x1={place(at)} x2={WIDTH} y1={8} y2={8} />
      {marks.map(({ seq, kind }) => (
        <line key={seq} class={`tick mark-${kind}`} x1={place(seq)} x2={place(seq)} y1={2} y2={14} />
      ))}
    </svg>
  );
}
