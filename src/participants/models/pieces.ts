/** The bytes of an answer as they come, for as long as somebody wants them. */

import type { ByteReader } from './model-io.ts';
import type { Watch } from './calls/call-timeouts.ts';

/** Last of all what broke them off, if something did. */
export type Pieces = AsyncGenerator<Uint8Array | { readonly thrown: unknown }>;

export async function* piecesOf(watch: Watch, reader: ByteReader | undefined): Pieces {
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await watch.until(reader.read());
      if (done) return;
      watch.touch();
      if (value !== undefined) yield value;
    }
  } catch (thrown) {
    yield { thrown };
  } finally {
    // Also when nobody wants the rest; whoever sends it may not have heard that.
    reader.cancel().catch(() => {});
  }
}

/** Whether they begin like a JSON object; and all of them, from the first on. */
export async function peeked(pieces: Pieces): Promise<{ readonly isObject: boolean; readonly all: Pieces }> {
  const first: (Uint8Array | { readonly thrown: unknown })[] = [];
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return { isObject: false, all: rejoined(first, pieces) };
    first.push(value);
    const sign = value instanceof Uint8Array ? value.find((byte) => !BLANKS.has(byte)) : 0;
    if (sign !== undefined) return { isObject: sign === OPENING, all: rejoined(first, pieces) };
  }
}

const OPENING = 0x7b;
/** White space, and the mark of the byte order. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

async function* rejoined(first: readonly (Uint8Array | { readonly thrown: unknown })[], rest: Pieces): Pieces {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
