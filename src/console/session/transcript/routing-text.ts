/** Where the turn goes with a packet, as the packet itself says, in words that are never part of what was said. Pure. */

import type { Envelope } from '../../../core/records/session/envelope.ts';
import { isPlainObject, type Json } from '../../../core/lib/json.ts';

/** null = it says nothing of it. */
export function routingWords(
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
