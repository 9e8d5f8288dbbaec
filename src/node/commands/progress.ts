/** How far long work is: on a terminal one line that changes, else a line every ten percent. Short work says nothing. */

export type Progress = (at: { readonly bytes: number; readonly of: number }) => void;

/** The part of a stream that is used here. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const STEP = 10;
const QUIET_MS = 500;

export function progressOn(output: ProgressOutput, what: string, now: () => number): Progress {
  const isLive = output.isTTY === true;
  const begunMs = now();
  let last: number | null = null;
  return ({ bytes, of }) => {
    const percent = of === 0 ? 100 : Math.floor((100 * bytes) / of);
    if (last === null && now() - begunMs < QUIET_MS) return;
    const shown = isLive || percent === 100 ? percent : percent - (percent % STEP);
    if (last !== null && shown <= last) return;
    last = shown;
    const line = `${what}: ${shown} %`;
    output.write(isLive ? `\r\u001b[K${line}${shown === 100 ? '\n' : ''}` : `${line}\n`);
  };
}
