/** Tells those who want to know, each within its time, and writes down who was told. What fails stops nothing. */

import { asError } from '../../../../core/lib/errors.ts';
import { RUN_FOLDER } from '../../../../governed/engine/dispatch/paths.ts';
import type { RunState } from '../../../../governed/index.ts';
import { isRecord, type Unknowns } from '../../../../governed/engine/lib/unknown-record.ts';
import { redactSecrets } from '../../../../participants/lib/redact-secrets.ts';
import { reasonOf } from '../../../../system/bounded-body.ts';
import { appendLine } from '../../hooks/audit.ts';
import { filled } from '../../hooks/variables.ts';
import { placeIn } from '../../safe-place.ts';
import type { Running } from '../open-run.ts';
import type { RunnerPorts } from '../../../../governed/runner/log/runner-context.ts';
import type { NotificationResult } from '../../../../governed/runner/contract/types.ts';
import { isFor, namesOf, type Webhook, webhooksOf } from './webhook.ts';

export interface ToTell {
  readonly event_id: string;
  readonly event_type: string;
  readonly payload: Unknowns;
  readonly turn: Unknowns | null;
  readonly state: RunState | null;
}

type Teller = Pick<Running, 'root' | 'config'> & { readonly means: Pick<RunnerPorts, 'clock' | 'variables'> };

export async function notifyAll(teller: Teller, told: ToTell): Promise<readonly NotificationResult[]> {
  const names = namesOf(told.event_type, told.payload);
  const wanted = webhooksOf(teller.config).filter((webhook) => isFor(webhook, names));
  return Promise.all(wanted.map((webhook) => tell(teller, webhook, told)));
}

async function tell(teller: Teller, webhook: Webhook, told: ToTell): Promise<NotificationResult> {
  const { clock, variables } = teller.means;
  const emitted_at = new Date(clock.now()).toISOString();
  const startedAt = clock.monotonic();
  const { status, problem } = await posted(webhook, bodyOf(teller, told, emitted_at), variables);
  const ok = problem === null;
  const place = await placeIn(teller.root, `${RUN_FOLDER}/notification-audit.jsonl`);
  await appendLine(place, {
    event_id: told.event_id,
    event_type: told.event_type,
    notification_name: webhook.name,
    transport: 'webhook',
    delivered: ok,
    status_code: status,
    duration_ms: Math.round(clock.monotonic() - startedAt),
    message: problem,
    emitted_at,
  });
  return { webhook: webhook.name, ok, status, attempts: 1, problem };
}

function bodyOf({ root, config }: Teller, { event_id, event_type, payload, turn, state }: ToTell, emitted_at: string) {
  const { id = null, name = null } = config.project ?? {};
  return {
    schema_version: '0.1',
    event_id,
    event_type,
    emitted_at,
    project: { id, name, root },
    run: state === null ? null : { run_id: state.run_id, status: state.status, phase: state.phase },
    turn: isRecord(turn) ? turn : null,
    payload,
  };
}

interface Ended {
  readonly status: number | null;
  readonly problem: string | null;
}

/** Its headers may hold secrets: they are sent to that address alone, and stand in nothing that is written. */
async function posted(webhook: Webhook, body: object, variables: RunnerPorts['variables']): Promise<Ended> {
  const headers = filled(webhook.headers, variables);
  if (typeof headers === 'string') return { status: null, problem: headers };
  const late = AbortSignal.timeout(webhook.timeoutMs);
  try {
    const response = await fetch(webhook.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers.texts },
      body: JSON.stringify(body),
      signal: late,
    });
    await response.body?.cancel();
    return { status: response.status, problem: response.ok ? null : `HTTP ${response.status}` };
  } catch (thrown) {
    if (late.aborted) return { status: null, problem: `did not answer within ${webhook.timeoutMs} ms` };
    return {
      status: null,
      problem: redactSecrets(reasonOf(asError(thrown)), [...headers.secrets, ...credentialsIn(webhook.url)]),
    };
  }
}

/** Name and password of an address, and all of it with them. */
function credentialsIn(url: string): readonly string[] {
  const found = /^https?:\/\/([^/@]+)@/.exec(url)?.[1] ?? '';
  return found === '' ? [] : [found, ...found.split(':')];
}
