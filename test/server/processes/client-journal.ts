/** What a client sent and received, in a file that no hub knows. */

import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';

export interface Sent {
  readonly key: string;
  /** Counts this client's posts. */
  readonly number: number;
}

export interface Acked {
  readonly key: string;
  readonly seq: number;
  readonly envelope_id: string;
}

export interface Account {
  /** In the order they were sent first. */
  readonly sent: readonly Sent[];
  readonly acked: ReadonlyMap<string, Acked>;
  /** A key that was answered twice, in two ways. */
  readonly contradictions: readonly string[];
}

export class ClientJournal {
  readonly path: string;
  readonly #file: number;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, 'a');
  }

  /** On the disk before any of it is sent. */
  sent(posts: readonly Sent[]): void {
    this.#write(posts.map((post) => ({ sent: post })));
    fdatasyncSync(this.#file);
  }

  acked(answer: Acked): void {
    this.#write([{ acked: answer }]);
  }

  sync(): void {
    fdatasyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(lines: readonly object[]): void {
    writeSync(this.#file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

export function readAccount(path: string): Account {
  const sent: Sent[] = [];
  const acked = new Map<string, Acked>();
  const contradictions: string[] = [];
  for (const text of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    // Written above.
    const line = JSON.parse(text) as { readonly sent?: Sent; readonly acked?: Acked };
    if (line.sent !== undefined) sent.push(line.sent);
    if (line.acked === undefined) continue;
    const { key, seq, envelope_id } = line.acked;
    const known = acked.get(key);
    if (known !== undefined && (known.seq !== seq || known.envelope_id !== envelope_id)) contradictions.push(key);
    acked.set(key, line.acked);
  }
  return { sent, acked, contradictions };
}
