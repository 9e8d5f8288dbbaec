/** The journal of a member: each line is on disk before the member acts on it. The checker reads nothing else. */

import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';

export type Line =
  /** A process opened the journal. */
  | { readonly at: 'started' }
  | { readonly at: 'opening'; readonly key: string; readonly type: string; readonly names: readonly string[] }
  /** All invited members have joined. */
  | { readonly at: 'opened'; readonly key: string; readonly session: string }
  | { readonly at: 'not_opened'; readonly key: string; readonly code: string }
  | { readonly at: 'joined'; readonly session: string; readonly type: string }
  | { readonly at: 'posting'; readonly session: string; readonly key: string }
  | { readonly at: 'acked'; readonly session: string; readonly key: string; readonly seq: number }
  | { readonly at: 'refused'; readonly session: string; readonly key: string; readonly code: string }
  | { readonly at: 'received'; readonly session: string; readonly key: string; readonly seq: number }
  /** The hub answered that the session closes. */
  | { readonly at: 'closing'; readonly session: string }
  | { readonly at: 'closed'; readonly session: string };

export type At<Kind extends Line['at']> = Extract<Line, { at: Kind }>;

export class Journal {
  readonly #file: number;

  constructor(path: string) {
    const isTorn = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, 'utf8'));
    this.#file = openSync(path, 'a');
    if (isTorn) writeSync(this.#file, '\n');
  }

  write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    fdatasyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The member never acted on a line torn by a kill. */
export function readJournal(path: string): readonly Line[] {
  if (!existsSync(path)) return [];
  const texts = readFileSync(path, 'utf8').split('\n');
  return texts.flatMap((text) => (text.startsWith('{"at":') && text.endsWith('}') ? [JSON.parse(text) as Line] : []));
}

export function linesOf<Kind extends Line['at']>(lines: readonly Line[], kind: Kind): readonly At<Kind>[] {
  return lines.filter((line): line is At<Kind> => line.at === kind);
}
