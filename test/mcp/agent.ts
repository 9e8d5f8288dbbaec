/** An MCP host: the SDK's client over HTTP or a child process, in either protocol revision. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { AgentClient, Session } from '../../src/client/index.ts';
import { root } from '../package/repository.ts';

export type Revision = '2025' | '2026';

export const REVISIONS: readonly Revision[] = ['2025', '2026'];

export interface Outcome {
  /** The refusal; null = success. */
  readonly refused: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at, not used
  readonly value: any;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

export class Agent {
  readonly client: Client;
  /** Process id of the server; null over HTTP. */
  readonly pid: number | null;

  private constructor(client: Client, pid: number | null) {
    this.client = client;
    this.pid = pid;
  }

  static async overHttp(port: number, token: string | null, options: HttpOptions = {}): Promise<Agent> {
    const { revision = '2026', headers = {}, maxWait = '25s' } = options;
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp?max_wait=${maxWait}`), {
      requestInit: { headers: { ...authorization, ...headers } },
    });
    const client = clientOf(revision);
    await client.connect(transport);
    return new Agent(client, null);
  }

  static async overStdio(script: string, args: readonly string[], options: StdioOptions = {}): Promise<Agent> {
    const { revision = '2025', env = {}, onNote } = options;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, 'mcp', ...args],
      cwd: root,
      env: { PATH: process.env.PATH ?? '', ...env },
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (chunk) => onNote?.(String(chunk)));
    const client = clientOf(revision);
    await client.connect(transport);
    return new Agent(client, transport.pid);
  }

  async call(name: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Outcome> {
    const result = await this.client.callTool({ name, arguments: args }, options);
    const [first] = result.content;
    const text = first?.type === 'text' ? first.text : '';
    if (result.isError === true) return { refused: text, value: null };
    // Text and structured content must be equal.
    if (text !== JSON.stringify(result.structuredContent)) throw new Error(`${name}: text and content differ: ${text}`);
    return { refused: null, value: result.structuredContent };
  }

  /** The result; throws on a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at, not used
  async value(name: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<any> {
    const { refused, value } = await this.call(name, args, options);
    if (refused !== null) throw new Error(`${name} was refused: ${refused}`);
    return value;
  }

  async refusal(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { refused, value } = await this.call(name, args);
    if (refused === null) throw new Error(`${name} was not refused: ${JSON.stringify(value)}`);
    return refused;
  }

  /** Repeats wait_turn until it returns something else than waiting. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at, not used
  async turn(args: Record<string, unknown> = {}): Promise<any> {
    for (let cursor: unknown; ; ) {
      const found = await this.value('wait_turn', cursor === undefined ? args : { ...args, cursor });
      if (found.status !== 'waiting') return found;
      cursor = found.cursor;
    }
  }

  /** The reason in the first progress notice of a wait, which is then cancelled. */
  waits(args: Record<string, unknown> = {}): Promise<string> {
    const cancel = new AbortController();
    return new Promise((resolve, reject) => {
      const onprogress = ({ message = '' }): void => {
        resolve(message);
        cancel.abort();
      };
      const answered = ({ refused, value }: Outcome): void =>
        reject(new Error(`expected a wait, got ${refused ?? JSON.stringify(value)}`));
      this.call('wait_turn', args, { signal: cancel.signal, onprogress }).then(answered, reject);
    });
  }

  /** A session that another client opens and this agent, named reviewer, accepts. */
  async joins(opener: AgentClient, type = 'discussion'): Promise<Session> {
    const session = await opener.open(type, { participants: ['reviewer'], wait: 'created' });
    await this.value('accept_invite', { session: session.id });
    return session;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

interface HttpOptions {
  readonly revision?: Revision;
  readonly headers?: Record<string, string>;
  readonly maxWait?: string;
}

interface StdioOptions {
  readonly revision?: Revision;
  readonly env?: Record<string, string>;
  readonly onNote?: (text: string) => void;
}

function clientOf(revision: Revision): Client {
  const mode = revision === '2025' ? 'legacy' : ({ pin: '2026-07-28' } as const);
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
}
