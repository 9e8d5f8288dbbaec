/** HTTP written by hand over a socket, for what no proper client sends. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class RawHttp {
  readonly socket: Socket;
  heard = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.heard += String(chunk);
    });
  }

  static async to(port: number, host = '127.0.0.1'): Promise<RawHttp> {
    const socket = connect({ port, host });
    const raw = new RawHttp(socket);
    await once(socket, 'connect');
    return raw;
  }

  write(text: string | Uint8Array): this {
    this.socket.write(text);
    return this;
  }

  /** The statuses of all answers so far. */
  get statuses(): readonly number[] {
    return [...this.heard.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
  }

  /** Text received so far, once it contains `text`. */
  async until(text: string): Promise<string> {
    while (!this.heard.includes(text)) {
      if (this.socket.closed) throw new Error(`closed before "${text}"; heard: ${this.heard}`);
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    return this.heard;
  }

  async closed(): Promise<string> {
    if (!this.socket.closed) await once(this.socket, 'close');
    return this.heard;
  }
}

/** A request as text: the head with its lines, and a body. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n');
}
