/** On a terminal, one line that says who is at work and for how long; elsewhere nothing. */

import { spanOf } from '../columns.ts';
import { printableLine } from '../../../cli/terminal/printable.ts';

/** The part of a stream that is used here. */
export interface LiveOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface LiveLine {
  /** Those that are out now. */
  show(roles: readonly string[]): void;
  /** Takes the line away, so that others can be written. */
  clear(): void;
}

const TICK_MS = 1_000;

export function liveLine(output: LiveOutput): LiveLine {
  if (output.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    output.write('\r\u001b[K');
  };
  return {
    clear,
    show(roles) {
      clear();
      if (roles.length === 0) return;
      const begunMs = performance.now();
      const draw = (): void => {
        const line = `… ${roles.join(', ')} at work for ${spanOf(performance.now() - begunMs)}`;
        output.write(`\r\u001b[K${printableLine(line)}`);
      };
      draw();
      timer = setInterval(draw, TICK_MS);
    },
  };
}
