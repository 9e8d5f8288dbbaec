/** Whom a project wants to be told of what (`notifications.webhooks` of its config). */

import { isFilled, isRecord, type Unknowns } from '../../../../governed/engine/lib/unknown-record.ts';

export interface Webhook {
  readonly name: string;
  readonly url: string;
  /** Types of events; empty = all. */
  readonly events: readonly string[];
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 5_000;
const MAX_TIMEOUT_MS = 30_000;
/** More would make every step of a run wait for all of them. */
const MAX_WEBHOOKS = 8;

export function webhooksOf(config: unknown): readonly Webhook[] {
  const { notifications } = isRecord(config) ? config : {};
  const { webhooks } = isRecord(notifications) ? notifications : {};
  const listed = Array.isArray(webhooks) ? webhooks.filter(isRecord) : [];
  return listed.filter(isCallable).slice(0, MAX_WEBHOOKS).map(webhookOf);
}

function isCallable({ url }: Unknowns): boolean {
  return isFilled(url) && /^https?:\/\//.test(url);
}

function webhookOf({ name, url, events, timeout_ms, headers }: Unknowns, at: number): Webhook {
  const given = typeof timeout_ms === 'number' && timeout_ms > 0 ? timeout_ms : TIMEOUT_MS;
  const texts = Object.entries(isRecord(headers) ? headers : {}).filter(([, value]) => typeof value === 'string');
  return {
    name: isFilled(name) ? name : `webhook-${at + 1}`,
    url: String(url),
    events: Array.isArray(events) ? events.filter(isFilled) : [],
    timeoutMs: Math.min(given, MAX_TIMEOUT_MS),
    headers: Object.fromEntries(texts) as Record<string, string>,
  };
}

/** Names that other runners give to the same events. */
export function namesOf(eventType: string, payload: Unknowns): readonly string[] {
  if (eventType === 'gate_pending') {
    const isPhase = isRecord(payload.pending_phase_transition);
    return [eventType, isPhase ? 'phase_transition_pending' : 'run_completion_pending'];
  }
  if (eventType === 'escalation_raised') return [eventType, 'operator_escalation_raised'];
  return [eventType];
}

export function isFor({ events }: Webhook, names: readonly string[]): boolean {
  return events.length === 0 || events.includes('*') || names.some((name) => events.includes(name));
}
