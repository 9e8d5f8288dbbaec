/** Sends events of a run to the project's webhooks. A failed webhook changes nothing. */

import { asError } from '../../../core/lib/errors.ts';
import { redactSecrets } from '../../../participants/lib/redact-secrets.ts';
import { reasonOf } from '../../../system/bounded-body.ts';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import type { RunState } from '../../engine/index.ts';
import { isNonEmptyText, isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { resolveInside } from '../../files/safe-path.ts';
import { appendLine } from '../../hooks/phase-record.ts';
import { expandVariables } from '../../hooks/variables.ts';
import { badArgument } from '../contract/failure.ts';
import type { NotificationResult, Notified } from '../contract/types.ts';
import type { RunnerContext, RunnerPorts, Running } from '../log/runner-context.ts';
import { checkedConfig } from '../project/take-over.ts';

interface NotifyArgs {
  readonly config: unknown;
  readonly state: unknown;
  readonly event: unknown;
  readonly payload?: unknown;
  readonly turn?: unknown;
}

/** Needs no run and takes no lock, so a slow webhook blocks nobody. */
export async function emitNotifications(root: string, means: RunnerContext, args: NotifyArgs): Promise<Notified> {
  const { event, payload = {}, turn = null } = args;
  if (!isNonEmptyText(event)) throw badArgument('event', 'the type of an event', event);
  if (!isRecord(payload)) throw badArgument('payload', 'an object', payload);
  const config = checkedConfig(args.config);
  const event_id = `evt_${means.ids.hex32().slice(0, 16)}`;
  const about = isRecord(turn) ? toTurnSummary(turn) : null;
  // Unchecked cast: only three strings of the state are sent.
  const state = isRecord(args.state) ? (args.state as never) : null;
  const notification = { event_id, event_type: event, payload, turn: about, state };
  return { ok: true, event_id, results: await notifyAll({ root, config, means }, notification) };
}

function toTurnSummary({ turn_id, assigned_role, attempt, assigned_sequence }: UnknownRecord): UnknownRecord {
  return { turn_id, role_id: assigned_role, attempt, assigned_sequence };
}

interface WebhookNotification {
  readonly event_id: string;
  readonly event_type: string;
  readonly payload: UnknownRecord;
  readonly turn: UnknownRecord | null;
  readonly state: RunState | null;
}

type Sender = Pick<Running, 'root' | 'config'> & { readonly means: Pick<RunnerPorts, 'clock' | 'variables'> };

export async function notifyAll(sender: Sender, event: WebhookNotification): Promise<readonly NotificationResult[]> {
  const names = namesOf(event.event_type, event.payload);
  const wanted = webhooksOf(sender.config).filter((webhook) => isFor(webhook, names));
  return Promise.all(wanted.map((webhook) => send(sender, webhook, event)));
}

async function send(sender: Sender, webhook: Webhook, event: WebhookNotification): Promise<NotificationResult> {
  const { clock, variables } = sender.means;
  const emitted_at = new Date(clock.now()).toISOString();
  const startedAt = clock.monotonic();
  const { status, problem } = await post(webhook, bodyOf(sender, event, emitted_at), variables);
  const ok = problem === null;
  const place = await resolveInside(sender.root, `${RUN_FOLDER}/notification-audit.jsonl`);
  await appendLine(place, {
    event_id: event.event_id,
    event_type: event.event_type,
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

function bodyOf(
  { root, config }: Sender,
  { event_id, event_type, payload, turn, state }: WebhookNotification,
  emitted_at: string,
) {
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

/** Sends headers only to the webhook's address and never writes them, because they may hold secrets. */
async function post(webhook: Webhook, body: object, variables: RunnerPorts['variables']): Promise<Ended> {
  const headers = expandVariables(webhook.headers, variables);
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
    const secrets = [...headers.secrets, ...credentialsIn(webhook.url)];
    return { status: null, problem: redactSecrets(reasonOf(asError(thrown)), secrets) };
  }
}

/** Returns the user name and password of a URL, together and separately. */
function credentialsIn(url: string): readonly string[] {
  const found = /^https?:\/\/([^/@]+)@/.exec(url)?.[1] ?? '';
  return found === '' ? [] : [found, ...found.split(':')];
}

interface Webhook {
  readonly name: string;
  readonly url: string;
  /** Event types; empty = all. */
  readonly events: readonly string[];
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 5_000;
const MAX_TIMEOUT_MS = 30_000;
/** Maximum number of webhooks, because every step of a run waits for all of them. */
const MAX_WEBHOOKS = 8;

function webhooksOf(config: unknown): readonly Webhook[] {
  const { notifications } = isRecord(config) ? config : {};
  const { webhooks } = isRecord(notifications) ? notifications : {};
  const listed = Array.isArray(webhooks) ? webhooks.filter(isRecord) : [];
  return listed.filter(isCallable).slice(0, MAX_WEBHOOKS).map(webhookOf);
}

function isCallable({ url }: UnknownRecord): boolean {
  return isNonEmptyText(url) && /^https?:\/\//.test(url);
}

function webhookOf({ name, url, events, timeout_ms, headers }: UnknownRecord, at: number): Webhook {
  const given = typeof timeout_ms === 'number' && timeout_ms > 0 ? timeout_ms : TIMEOUT_MS;
  const texts = Object.entries(isRecord(headers) ? headers : {}).filter(([, value]) => typeof value === 'string');
  return {
    name: isNonEmptyText(name) ? name : `webhook-${at + 1}`,
    url: String(url),
    events: Array.isArray(events) ? events.filter(isNonEmptyText) : [],
    timeoutMs: Math.min(given, MAX_TIMEOUT_MS),
    headers: Object.fromEntries(texts) as Record<string, string>,
  };
}

/** Includes the names that other runners use for the event. */
function namesOf(eventType: string, payload: UnknownRecord): readonly string[] {
  if (eventType === 'gate_pending') {
    const isPhase = isRecord(payload.pending_phase_transition);
    return [eventType, isPhase ? 'phase_transition_pending' : 'run_completion_pending'];
  }
  if (eventType === 'escalation_raised') return [eventType, 'operator_escalation_raised'];
  return [eventType];
}

function isFor({ events }: Webhook, names: readonly string[]): boolean {
  return events.length === 0 || events.includes('*') || names.some((name) => events.includes(name));
}
