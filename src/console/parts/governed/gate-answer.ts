/** What somebody who may approve sends for a gate that waits: it names the gate, so that it never opens another one. */

import type { JsonObject } from '../../../core/lib/json.ts';
import type { PendingGate } from './run-shown.ts';

export interface GateAnswer {
  readonly event_type: 'gate.approved' | 'gate.refused';
  readonly event_data: JsonObject;
}

export function approval({ gate_type, gate }: PendingGate, note: string): GateAnswer {
  const words = note.trim();
  return { event_type: 'gate.approved', event_data: { gate_type, gate, ...(words === '' ? {} : { note: words }) } };
}

/** A refusal has a reason. */
export function refusal({ gate_type, gate }: PendingGate, reason: string): GateAnswer {
  return { event_type: 'gate.refused', event_data: { gate_type, gate, reason: reason.trim() } };
}
