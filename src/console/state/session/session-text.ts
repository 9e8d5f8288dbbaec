/** Builds texts of the session page. Pure. */

import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import type { ExpectationStatus } from '../../../core/protocol/operations/console-sessions.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';

/** The parameters of an expectation, and the handler of its violation. */
export function expectationText({ params, on_violation }: Pick<ExpectationStatus, 'params' | 'on_violation'>): string {
  const settings = Object.entries(params).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueText(value)}`);
  return [settings.join(', '), `if violated: ${on_violation.replaceAll('_', ' ')}`]
    .filter((one) => one !== '')
    .join('; ');
}

function valueText(value: Json | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Appends the participant's name to every agent id in a value. */
export function withNames(value: Json | undefined, names: ReadonlyMap<string, string>): Json {
  const named = (text: string): string => (names.has(text) ? `${text} (${names.get(text)})` : text);
  if (typeof value === 'string') return named(value);
  if (Array.isArray(value)) return value.map((one: Json) => withNames(one, names));
  if (!isPlainObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [named(key), withNames(one, names)]));
}

/** What the routing of a packet does, such as a handoff; null if it has none. */
export function routingText(
  { event_type, event_data: { routing }, redacted }: Envelope,
  names: ReadonlyMap<string, string>,
): string | null {
  if (event_type !== 'msg.packet' || redacted !== undefined || !isPlainObject(routing)) return null;
  const { kind, target, tool, reason } = routing;
  const because = textIn(reason) === '' ? '' : `: ${textIn(reason)}`;
  if (kind === 'handoff') return `handed over to ${names.get(textIn(target)) ?? textIn(target)}${because}`;
  if (kind === 'finish') return `ended the session${because}`;
  return textIn(tool) === '' ? null : `called ${textIn(tool)}${because}`;
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const HUES = 8;

/** The colour of a speaker, from its position in `names`: the hub first, then the participants. */
export function speakerHue(agentId: string, names: ReadonlyMap<string, string>): number {
  return Math.max(0, [...names.keys()].indexOf(agentId) - 1) % HUES;
}
