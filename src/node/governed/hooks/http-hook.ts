/** A hook that is a service: one POST within its time, body and all. Its headers are sent to that address and to no other. */

import { asError } from '../../../core/lib/errors.ts';
import type { HookEnvelope, HttpHook } from '../../../governed/engine/hooks/hook.ts';
import { boundedText, reasonOf } from '../../../system/bounded-body.ts';
import { type HookEnded, MAX_ANSWER_BYTES, type Variables } from './ended.ts';
import { filled } from './variables.ts';

export async function callHttpHook(
  hook: HttpHook,
  envelope: HookEnvelope,
  variables: Variables,
  signal: AbortSignal | undefined,
): Promise<HookEnded> {
  const headers = filled(hook.headers ?? {}, variables);
  if (typeof headers === 'string') return { ...NOTHING, end: { kind: 'failed', problem: headers } };
  const { secrets } = headers;
  const late = AbortSignal.timeout(hook.timeout_ms);
  try {
    const response = await fetch(hook.url, {
      method: 'POST',
      // Whoever sends us on would get the headers.
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers.texts },
      body: JSON.stringify(envelope),
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const text = await boundedText(response, MAX_ANSWER_BYTES);
    if (text === null) return { ...NOTHING, secrets, end: { kind: 'failed', problem: TOO_MUCH } };
    if (!response.ok) return { ...NOTHING, secrets, end: { kind: 'failed', problem: `HTTP ${response.status}` } };
    return { ...NOTHING, secrets, end: { kind: 'answered', text } };
  } catch (thrown) {
    if (late.aborted) {
      const problem = `did not answer within ${hook.timeout_ms} ms`;
      return { ...NOTHING, secrets, end: { kind: 'timed_out', problem } };
    }
    return { ...NOTHING, secrets, end: { kind: 'failed', problem: reasonOf(asError(thrown)) } };
  }
}

const NOTHING = { exitCode: null, stderr: '', secrets: [] } as const;
const TOO_MUCH = `answered with more than ${MAX_ANSWER_BYTES} bytes`;
