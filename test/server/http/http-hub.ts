/** A hub with an open port, and how tests speak HTTP to it. */

import { request } from 'node:http';
import { type CreateHubOptions, createHub, type HubServer, type LocalHub, type ServeOptions } from 'parley-hub';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at, not used
  readonly body: any;
}

export interface Asking {
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpHub {
  readonly hub: LocalHub;
  readonly port: number;
  readonly url: string;

  private readonly serving: HubServer;

  private constructor(hub: LocalHub, serving: HubServer) {
    this.hub = hub;
    this.serving = serving;
    this.port = serving.port;
    this.url = serving.url;
  }

  /** For one test. */
  static async open(serving: ServeOptions = {}, options: CreateHubOptions = {}): Promise<HttpHub> {
    const opened = await HttpHub.keep(serving, options);
    onTestFinished(() => opened.close());
    return opened;
  }

  /** For whoever closes it: several tests share it. */
  static async keep(serving: ServeOptions = {}, options: CreateHubOptions = {}): Promise<HttpHub> {
    const hub = await createHub(options);
    return new HttpHub(hub, await hub.listen({ port: 0, ...serving }));
  }

  /** Does not wait for connections that clients keep open. */
  async close(): Promise<void> {
    await this.serving.close(0);
    await this.hub.stop();
  }

  /** A token for one name, which is registered with it. */
  async member(name: string, grants: readonly ('operate' | 'observe' | 'enrol' | 'rules')[] = []): Promise<string> {
    const { token } = await this.hub.createToken({ name, grants });
    const made = await this.post('/register', { name }, { token });
    if (made.status !== 200 && made.body.error.code !== 'conflict') throw new Error(made.text);
    return token;
  }

  get(path: string, asking: Asking = {}): Promise<Answer> {
    return this.send('GET', `/api/v1${path}`, null, asking);
  }

  post(path: string, params: unknown, asking: Asking = {}): Promise<Answer> {
    const headers = { 'content-type': 'application/json', ...asking.headers };
    return this.send('POST', `/api/v1${path}`, JSON.stringify(params), { ...asking, headers });
  }

  send(method: string, path: string, body: string | null, { token, as, headers = {} }: Asking = {}): Promise<Answer> {
    const all = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(as === undefined ? {} : { 'parley-as': as }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: this.port, method, path, headers: all }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: bodyIn(text) }),
        );
      });
      asked.on('error', reject);
      asked.end(body ?? undefined);
    });
  }
}

/** A hub for one test, with the token of one member. */
export async function memberOf(name: string, grants: Parameters<HttpHub['member']>[1] = []) {
  const http = await HttpHub.open();
  return { http, token: await http.member(name, grants) };
}

function bodyIn(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}
