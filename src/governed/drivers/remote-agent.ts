/** Runs a turn as one HTTP POST whose answer is the result. Headers go only to the configured address. */

import { z } from 'zod';
import type { ByteReader, ModelResponse } from '../../participants/models/index.ts';
import { MAX_RESULT_BYTES } from '../staging/staged-result.ts';
import { saveAttemptLog } from './attempt/attempt-files.ts';
import type { DispatchBundle, DriverContext, DriverWaitResult, RuntimeDriver } from './attempt/driver.ts';
import { CANCELLED, classOfStatus, displayUrl, isHttpUrl, reasonOf, secretsInUrl } from './attempt/failure.ts';
import { expandSettings, settingsOf } from './attempt/settings.ts';
import { builtInDriver, completed, type Deadline, deadlineOf, failed, findTurnResult } from './attempt/wait-result.ts';

interface RemoteAgentSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
}

export const REMOTE_AGENT: z.ZodType<RemoteAgentSettings> = z.looseObject({
  url: z.string().refine(isHttpUrl, 'expected an http or https URL'),
  headers: z.record(z.string(), z.string()).default({}),
  timeout_ms: z.number().positive().default(120_000),
});

interface Service extends Pick<RemoteAgentSettings, 'url' | 'headers'> {
  readonly secrets: readonly string[];
}

export function remoteAgentDriver(context: DriverContext): RuntimeDriver {
  const { url, headers, timeout_ms } = settingsOf(REMOTE_AGENT, context);
  const place = `runtimes.${context.runtimeId}.headers`;
  const { texts, secrets } = expandSettings(headers, context.variables, place);
  const own = Object.entries(texts).flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value] : []));
  const service: Service = { url, headers: texts, secrets: [...secrets, ...own, ...secretsInUrl(url)] };
  return builtInDriver({
    name: 'remote_agent',
    timeoutMs: timeout_ms,
    dispatch: async (bundle) => bundle,
    async wait(bundle, timeoutMs, signal) {
      const deadline = deadlineOf(context.clock, timeoutMs, signal);
      try {
        return await post(context, service, bundle, deadline);
      } catch (thrown) {
        if (deadline.endedBy === 'timeout') {
          return failed('timeout', `${displayUrl(url)} did not answer in full within ${timeoutMs} ms`);
        }
        if (deadline.endedBy === 'caller') return failed('aborted', CANCELLED);
        return failed('network_failure', `${displayUrl(url)}: ${reasonOf(thrown)}`, { secrets: service.secrets });
      } finally {
        deadline.close();
      }
    },
  });
}

const SECRET_HEADER = /auth|key|token|secret|cookie/i;

async function post(
  { fetch }: DriverContext,
  { url, headers, secrets }: Service,
  bundle: DispatchBundle,
  deadline: Deadline,
): Promise<DriverWaitResult> {
  const { run_id, turn_id, role, phase, runtime_id, dispatch_dir, prompt, context } = bundle;
  const body = { run_id, turn_id, role, phase, runtime_id, dispatch_dir, prompt, context };
  const response = await deadline.race(
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: deadline.signal,
    }),
  );
  const text = await bounded(response, deadline);
  const { status } = response;
  const about = { secrets, http_status: status };
  const where = displayUrl(url);
  if (text === null) {
    return failed('response_too_large', `${where} answered with more than ${MAX_RESULT_BYTES} bytes`, about);
  }
  await saveAttemptLog(bundle, 'response.txt', text, secrets);
  if (status < 200 || status > 299) return failed(classOfStatus(status), `${where}: HTTP ${status}: ${text}`, about);
  return resultIn(text, where, about);
}

function resultIn(text: string, where: string, about: { readonly secrets: readonly string[] }): DriverWaitResult {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return failed('response_parse_failure', `${where}: expected JSON, got ${text}`, about);
  }
  const result = findTurnResult(typeof said === 'string' ? null : said);
  if (result !== null) return completed(result);
  const problem = `${where}: expected a turn result with a schema_version, got ${text}`;
  return failed('turn_result_extraction_failure', problem, about);
}

/** Returns null if the body exceeds MAX_RESULT_BYTES. */
async function bounded(response: ModelResponse, deadline: Deadline): Promise<string | null> {
  const reader: ByteReader | undefined = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await deadline.race(reader.read());
      if (done) return text + decoder.decode();
      bytes += value?.length ?? 0;
      if (bytes > MAX_RESULT_BYTES) return null;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
