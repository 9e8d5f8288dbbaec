/** Several addresses that lead to the same hub, as one socket: they are tried in turn until one opens. */

import type { Socket, SocketEvents } from '../socket-link.ts';

/** An address that could not be opened, and why, where the platform tells it. */
export interface Unreached {
  readonly url: string;
  readonly why: string;
}

const UNTOLD = 'it could not be opened';

type Listeners = { readonly [Type in keyof SocketEvents]: ((event: SocketEvents[Type]) => void)[] };

class AnySocket implements Socket {
  private readonly urls: string[];
  private readonly openOne: (url: string) => Socket;
  private readonly failed: (unreached: Unreached) => void;
  private readonly listeners: Listeners = { open: [], close: [], error: [], message: [] };
  private current: Socket | null = null;
  private isClosed = false;

  constructor(urls: readonly string[], openOne: (url: string) => Socket, failed: (unreached: Unreached) => void) {
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

  /** null = the platform would not even try, and another address is left. */
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

/** A name with several numbers fails with an error that has no message of its own, only a code. */
function reasonIn({ message, error }: SocketEvents['error']): string {
  if (typeof message === 'string' && message !== '') return message;
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : UNTOLD;
}

/** `failed` is told of each address that could not be opened. */
export function anySocket(
  urls: readonly string[],
  openOne: (url: string) => Socket,
  failed: (unreached: Unreached) => void,
): Socket {
  return new AnySocket(urls, openOne, failed);
}
