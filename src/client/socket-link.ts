/** A WebSocket as a link: the browser's, or one that looks like it. What is sent before it is open waits. */

import type { Link } from '../core/link.ts';

/** The part of a WebSocket that is used here. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'close', listener: () => void): void;
  /** Browsers do not say what it was. */
  addEventListener(type: 'error', listener: (event: { readonly message?: unknown }) => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  /** Only some can be cut off without a goodbye. */
  terminate?(): void;
}

/** `failed`: why it could not be opened, where that is known. */
export function socketLink(socket: Socket, failed: (why: string) => void = () => {}): Link {
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
  // A socket that failed closes by itself; one that could not be opened says only this.
  socket.addEventListener('error', ({ message }) => {
    if (state === 'opening' && typeof message === 'string' && message !== '') failed(message);
  });
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
