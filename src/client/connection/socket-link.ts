/** Adapts WebSockets to links, in browsers and elsewhere. Several addresses act as one socket. */

import type { Link } from '../../core/lib/link.ts';

export interface SocketEvents {
  readonly open: unknown;
  readonly close: unknown;
  /** Browsers give no details. */
  readonly error: { readonly message?: unknown; readonly error?: unknown };
  readonly message: { readonly data: unknown };
}

/** The part of a WebSocket used here. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener<Type extends keyof SocketEvents>(type: Type, listener: (event: SocketEvents[Type]) => void): void;
  /** Closes without a handshake, where supported. */
  terminate?(): void;
}

/** Adapts a socket to a link; queues frames sent before the socket opens. */
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
  // A failed socket closes by itself.
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

/** An address that could not be opened, with the reason if known. */
export interface FailedAddress {
  readonly url: string;
  readonly why: string;
}

const UNTOLD = 'it could not be opened';

type Listeners = { readonly [Type in keyof SocketEvents]: ((event: SocketEvents[Type]) => void)[] };

/** Tries the addresses in turn; calls `failed` for each that could not be opened. */
export class FailoverSocket implements Socket {
  private readonly urls: string[];
  private readonly openOne: (url: string) => Socket;
  private readonly failed: (unreached: FailedAddress) => void;
  private readonly listeners: Listeners = { open: [], close: [], error: [], message: [] };
  private current: Socket | null = null;
  private isClosed = false;

  constructor(urls: readonly string[], openOne: (url: string) => Socket, failed: (unreached: FailedAddress) => void) {
    this.urls = [...urls];
    this.openOne = openOne;
    this.failed = failed;
    this.tryNext();
  }

  send(text: string): void {
    this.current?.send(text);
  }

  close(): void {
    this.isClosed = true;
    this.current?.close();
  }

  terminate(): void {
    this.isClosed = true;
    if (this.current?.terminate === undefined) this.current?.close();
    else this.current.terminate();
  }

  addEventListener<Type extends keyof SocketEvents>(type: Type, listener: (event: SocketEvents[Type]) => void): void {
    this.listeners[type].push(listener);
  }

  private tryNext(): void {
    const url = this.urls.shift() ?? '';
    const socket = this.opened(url);
    if (socket === null) return this.tryNext();
    this.current = socket;
    let isOpen = false;
    let why = UNTOLD;
    socket.addEventListener('open', (event) => {
      isOpen = true;
      this.tell('open', event);
    });
    socket.addEventListener('message', (event) => this.tell('message', event));
    socket.addEventListener('error', (event) => {
      why = reasonIn(event);
      if (isOpen) this.tell('error', event);
    });
    socket.addEventListener('close', (event) => {
      if (!isOpen) this.failed({ url, why });
      if (isOpen || this.isClosed || this.urls.length === 0) this.tell('close', event);
      else this.tryNext();
    });
  }

  /** Returns null if the platform rejected the address and another one is left. */
  private opened(url: string): Socket | null {
    try {
      return this.openOne(url);
    } catch (thrown) {
      this.failed({ url, why: thrown instanceof Error ? thrown.message : UNTOLD });
      if (this.urls.length === 0) throw thrown;
      return null;
    }
  }

  private tell<Type extends keyof SocketEvents>(type: Type, event: SocketEvents[Type]): void {
    for (const listener of this.listeners[type]) listener(event);
  }
}

/** The reason in an error event. The error of a host with several addresses has a code but no message. */
function reasonIn({ message, error }: SocketEvents['error']): string {
  if (typeof message === 'string' && message !== '') return message;
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : UNTOLD;
}
