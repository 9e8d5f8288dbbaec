/**
 * A process that is a hub: started by a test, told over its IPC channel what to open, and killed. Frames travel on the same
 * channel, a number for each connection.
 */

import { asError } from '../../../src/core/lib/errors.ts';
import type { Link } from '../../../src/core/lib/link.ts';
import { createHub, type LocalHub } from '../../../src/server/create-hub.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { FromChild, ToChild } from './hub-messages.ts';

let hub: LocalHub | null = null;
const links = new Map<number, Link>();

// The parent has exited: stop.
process.on('disconnect', () => process.exit(1));
process.on('message', (message: ToChild) => void obey(message));
tell({ kind: 'loaded' });

async function obey(message: ToChild): Promise<void> {
  switch (message.kind) {
    case 'open':
      return open(message);
    case 'frame':
      return linkOf(message.link)?.send(message.text);
    case 'health':
      return tell({ kind: 'health', health: hub?.health() ?? null });
    case 'stop':
      await hub?.stop();
      process.disconnect();
  }
}

async function open({ folder, segmentBytes, exitOnStoreFailure }: Extract<ToChild, { kind: 'open' }>): Promise<void> {
  try {
    const { store } = await openStore(folder, { segmentBytes });
    // Between two kills acks may never be written: no inbox is full for that.
    hub = await createHub({ store, exitOnStoreFailure, limits: { maxPending: 1_000_000 } });
    hub.on('storeFailed', ({ error }) => tell({ kind: 'storeFailed', message: error.message }));
    tell({ kind: 'opened' });
  } catch (thrown) {
    const { message, code } = asError(thrown) as Error & { code?: string };
    tell({ kind: 'refused', code: code ?? '', message });
  }
}

function linkOf(number: number): Link | undefined {
  if (!links.has(number) && hub !== null) {
    const link = hub.connect();
    link.onMessage((text) => tell({ kind: 'frame', link: number, text }));
    links.set(number, link);
  }
  return links.get(number);
}

function tell(message: FromChild): void {
  if (process.connected) process.send?.(message, () => {});
}
