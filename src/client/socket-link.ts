/** A WebSocket as a link: the browser's, or one that looks like it. What is sent before it is open waits. */

import type { Link } from '../core/lib/link.ts';

/** What a socket tells. */
export interface SocketEvents {
  readonly open: unknown;
  readonly close: unknown;
  /** Browsers do not say what it was. */
  readonly error: { readonly message?: unknown; readonly error?: unknown };
  readonly message: { readonly data: unknown };
}

/** The part of a WebSocket that is used here. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener<Type extends keyof SocketEvents>(type: Type, listener: (event: SocketEvents[Type]) => void): void;
  /** Only some can be cut off without a goodbye. */
  terminate?(): void;
}

export function socketLink(socket: Socket): Link {
  let state: 'opening' | 'open' | 'closed' = 'opening';
  let waiting: string[] = [];
  const closers: (() => void)[] = [];
  const closed = (): void => {
    if (state === 'closed') return;
    state = 'closed';
    waiting = [];
    for (const closer of closers.splice(0)) closer();
  };
  socket.addEventListener('open', () => {
    if (state !== 'opening') return;
    state = 'open';
    for (const text of waiting.splice(0)) socket.send(text);
  });
  socket.addEventListener('close', closed);
  // A socket that failed closes by itself.
  socket.addEventListener('error', () => {});
  return {
    send(text) {
      if (state === 'open') socket.send(text);
      else if (state === 'opening') waiting.push(text);
    },
    onMessage(receive) {
      socket.addEventListener('message', ({ data }) => {
        if (state === 'open' && typeof data === 'string') receive(data);
      });
    },
    onClose(told) {
      if (state === 'closed') void Promise.resolve().then(told);
      else closers.push(told);
    },
    close() {
      socket.close();
    },
    destroy() {
      if (socket.terminate === undefined) socket.close();
      else socket.terminate();
      closed();
    },
  };
}
