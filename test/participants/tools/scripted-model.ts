// A scripted model that records its requests.

import type { Json } from 'parley-hub/core';
import type { AgentFn, CallEstimate, ModelClient, ModelReply, ModelRequest } from 'parley-hub/participants';
import { modelAgent, UNKNOWN_USAGE } from '../../../src/participants/models/index.ts';

export interface Said {
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, args: Json])[];
  /** Tokens in and out; null = unknown. */
  readonly used?: readonly [number | null, number | null];
  readonly cost_usd?: number | null;
}

export type Line = Said | string | Error | ((request: ModelRequest) => Promise<Said | string> | Said | string);

export class ScriptedModel implements ModelClient {
  readonly provider = 'scripted';
  readonly model = 'm-1';
  readonly asked: ModelRequest[] = [];
  /** For tests that need it. */
  session = '';
  /** The estimate of a call; the price is per token. */
  guess: { readonly prompt: number; readonly most: number | null; readonly price: number | null } = {
    prompt: 10,
    most: 5,
    price: null,
  };
  private readonly lines: Line[];

  constructor(...lines: readonly Line[]) {
    this.lines = [...lines];
  }

  add(line: Line): void {
    this.lines.push(line);
  }

  agent(options: { readonly maxRounds?: number } = {}): AgentFn {
    return modelAgent(this, options);
  }

  estimate(): CallEstimate {
    const { prompt, most, price } = this.guess;
    return {
      prompt_tokens: prompt,
      max_output_tokens: most,
      usd: (output) => (price === null ? null : (prompt + output) * price),
    };
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    this.asked.push(request);
    const line = this.lines.length > 1 ? this.lines.shift() : this.lines[0];
    if (line === undefined) throw new Error('the script is over');
    if (line instanceof Error) throw line;
    const said = typeof line === 'function' ? await line(request) : line;
    return this.reply(typeof said === 'string' ? { text: said } : said, request);
  }

  private reply({ text = '', calls = [], used = [10, 5], cost_usd = null }: Said, request: ModelRequest): ModelReply {
    if (text !== '') request.onDelta?.(text);
    const [input_tokens, output_tokens] = used;
    const usage = { ...UNKNOWN_USAGE, input_tokens, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens };
    const tool_calls = calls.map(([name, args], at) => ({ id: `call_${at}`, name, arguments: args }));
    return {
      text,
      tool_calls,
      usage,
      cost_usd,
      stop: calls.length === 0 ? 'end' : 'tool_calls',
      refusal: null,
      provider: this.provider,
      model: this.model,
      request_id: null,
      latency_ms: 1,
      retries: 0,
      raw: { format: 'scripted', content: null },
    };
  }

  /** The results of the latest calls, in order. */
  get told(): string[] {
    const { messages = [] } = this.asked.at(-1) ?? {};
    return messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  }

  /** The data in one of these results. */
  data(at = -1): Record<string, Json> {
    const text = this.told.at(at) ?? '';
    return JSON.parse(text.slice(text.indexOf('\n') + 1)) as Record<string, Json>;
  }
}
