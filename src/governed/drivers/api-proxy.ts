/** A model does the turn by one answer. What it says is staged on its behalf, with what it cost. */

import type { TurnResult } from '../index.ts';
import { isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';
import { type AgentError, isAgentError } from '../../participants/agent/agent-error.ts';
import {
  type AdapterMeta,
  adapterMeta,
  type ModelClient,
  type ModelReply,
  modelsOn,
} from '../../participants/models/index.ts';
import { asText } from '../../node/governed/whole-file.ts';
import type { Adapter, AdapterContext, AdapterWaited, DispatchBundle } from './attempt/driver.ts';
import { callFailure, NO_RESULT } from '../../node/governed/adapters/api-proxy-failure.ts';
import { API_PROXY, type ApiProxySettings, clientOf, endpointOf, keyOf, totalMs, tryMs } from './api-proxy-settings.ts';
import { ratesOf } from '../../node/governed/adapters/cost-rates.ts';
import { keepLog } from './attempt/attempt-files.ts';
import { collected, missingFields, resultIn } from '../../node/governed/adapters/result-in.ts';
import { settingsOf } from './attempt/settings.ts';
import { completed, failed, failedWith, notDispatched } from '../../node/governed/adapters/waited.ts';

interface Answered {
  readonly result: Unknowns;
  readonly meta: AdapterMeta;
}

export function apiProxyAdapter(context: AdapterContext): Adapter {
  const settings = settingsOf(API_PROXY, context);
  const apiKey = keyOf(settings, context.variables);
  const secrets = apiKey === undefined ? [] : [apiKey];
  const out = new Map<string, DispatchBundle>();
  return {
    name: 'api_proxy',
    timeoutMs: totalMs(settings),
    async dispatch(bundle) {
      await keepLog(bundle, 'API_REQUEST.json', asText(requestNote(settings)), secrets);
      out.set(bundle.turn_id, bundle);
    },
    async wait(turnId, timeoutMs, signal) {
      const bundle = out.get(turnId);
      if (bundle === undefined) return notDispatched(turnId);
      out.delete(turnId);
      const { fetch, clock, config } = context;
      const client = clientOf(modelsOn({ fetch, clock }), settings, {
        apiKey,
        totalMs: timeoutMs,
        prices: ratesOf(config, settings.model, clock.now()),
      });
      return asked(client, bundle, { context, secrets, signal });
    },
    collect: async (_, data) => withMeta(data),
  };
}

/** For inspection; the texts are those of the bundle, and no key is in it. */
function requestNote(settings: ApiProxySettings): Unknowns {
  const { provider, model, temperature = null, max_retries = null } = settings;
  const base_url = endpointOf(settings).replace(/\?.*$/, '');
  const timeouts = { timeout_ms: tryMs(settings), total_timeout_ms: totalMs(settings) };
  return { provider, model, base_url, temperature, max_retries, ...timeouts };
}

const SYSTEM = `You take one turn of a governed run. Your whole answer is the turn result: one JSON object and nothing else.
You have no tools: where you are told to write the result to a file, answer with it, and it is written for you.`;

interface Asking {
  readonly context: AdapterContext;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal | undefined;
}

async function asked(client: ModelClient, bundle: DispatchBundle, asking: Asking): Promise<AdapterWaited> {
  const { context, secrets, signal } = asking;
  const tries: string[] = [];
  const began = context.clock.monotonic();
  try {
    const reply = await client.complete({
      system: SYSTEM,
      messages: [{ role: 'user', content: `${bundle.prompt}\n\n---\n\n${bundle.context}` }],
      signal,
      check: problemIn,
      onProgress({ kind, text }) {
        if (kind === 'retry') tries.push(text);
        context.write(`${text}\n`);
      },
    });
    return answered(reply);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    await keepPartial(bundle, thrown, secrets);
    const latencyMs = Math.round(context.clock.monotonic() - began);
    const { provider, model } = client;
    return failedWith(callFailure(thrown, { provider, model, latencyMs, tries, secrets }));
  }
}

/** Why an answer is no turn result; it is asked for once more then. */
function problemIn({ text, stop }: Pick<ModelReply, 'text' | 'stop'>): string | null {
  // To ask somebody who refuses again is of no use.
  if (stop === 'refused') return null;
  const result = resultIn(text);
  const cut = stop === 'length' ? ' (it was cut off: max_tokens is too small)' : '';
  if (result === null) return `${NO_RESULT} expected a JSON object with a schema_version${cut}, got ${text}`;
  const missing = missingFields(result);
  return missing.length === 0 ? null : `${NO_RESULT} it lacks ${missing.join(', ')}`;
}

function answered(reply: ModelReply): AdapterWaited {
  const meta = adapterMeta(reply);
  const result = reply.stop === 'refused' ? null : resultIn(reply.text);
  if (result === null) {
    return failed('model_refused', `the model refused: ${reply.refusal ?? reply.text}`, { adapter_meta: meta });
  }
  const data: Answered = { result, meta };
  return completed(data);
}

/** What it had said: it was paid for, and may show what is wrong with the prompt. */
async function keepPartial(bundle: DispatchBundle, { details }: AgentError, secrets: readonly string[]): Promise<void> {
  if (details.partial !== undefined) await keepLog(bundle, 'last-answer.txt', details.partial, secrets);
}

/** What it says of its own cost is a guess; what was counted is not. */
function withMeta(data: unknown): TurnResult {
  if (!isRecord(data) || !isRecord(data.result) || !isRecord(data.meta)) return collected(data);
  const { result, meta } = data;
  const counts = { input_tokens: meta.input_tokens, output_tokens: meta.output_tokens, usd: meta.cost_usd };
  const known = Object.fromEntries(Object.entries(counts).filter(([, value]) => typeof value === 'number'));
  return collected({ ...result, cost: known, adapter_meta: meta });
}
