/** Where the turn goes with a packet, as the packet itself says, in words that are never part of what was said. Pure. */

import { isPlainObject, type Json } from '../../../core/lib/json.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';

/** null = it says nothing of it. */
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

/** `names` are in the order of the participants, the hub first. */
export function speakerHue(agentId: string, names: ReadonlyMap<string, string>): number {
  return Math.max(0, [...names.keys()].indexOf(agentId) - 1) % HUES;
}
