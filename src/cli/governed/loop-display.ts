/** Shows the events of a run loop: lines for people, JSON for programs, and active roles on a terminal. */

import type { LoopEvent } from '../../governed/loop/types.ts';
import { formatDuration } from '../terminal/columns.ts';
import { printableLine } from '../terminal/printable.ts';

export function loopEventText(event: LoopEvent): string {
  switch (event.type) {
    case 'turn_assigned':
      return `→ ${event.role} has ${event.turn.turn_id} (${event.state.phase})`;
    case 'turn_accepted':
      return `✓ ${event.role}: ${event.acceptResult.accepted.summary}`;
    case 'turn_rejected':
    case 'turn_conflicted': {
      const what = event.type === 'turn_rejected' ? 'rejected' : 'conflicts with another turn';
      return `✗ ${event.role}, ${what}${event.escalated ? ', no attempts left' : ''}: ${event.reason}`;
    }
    case 'parallel_dispatch':
      return `⇉ ${event.turns.map(({ assigned_role }) => assigned_role).join(', ')} concurrently`;
    case 'gate_paused':
    case 'gate_approved':
    case 'gate_held': {
      const result = { gate_paused: 'awaits approval', gate_approved: 'is approved', gate_held: 'stays closed' };
      return `◆ ${gateOf(event)} ${result[event.type]}`;
    }
    case 'completed':
      return '● the run is completed';
    case 'blocked':
      return `■ the run is blocked on ${event.state.blocked_on}: ${event.state.blocked_reason?.recovery.detail ?? ''}`;
    case 'caller_stopped':
      return 'no role has the next turn';
  }
}

function gateOf({ gateType, state }: Extract<LoopEvent, { gateType: unknown }>): string {
  const gate = (state.pending_phase_transition ?? state.pending_run_completion)?.gate;
  return gate ? `gate ${gate}` : `the gate (${gateType.replaceAll('_', ' ')})`;
}

/** Omits the state, which `status --json` shows. */
export function loopEventJson(event: LoopEvent): object {
  switch (event.type) {
    case 'turn_assigned':
    case 'turn_accepted':
      return { event: event.type, role: event.role, turn_id: event.turn.turn_id, attempt: event.turn.attempt };
    case 'turn_rejected':
    case 'turn_conflicted': {
      const { type, role, turn, reason, escalated } = event;
      return { event: type, role, turn_id: turn.turn_id, reason, escalated };
    }
    case 'parallel_dispatch':
      return { event: event.type, turns: event.turns.map(({ turn_id }) => turn_id) };
    default: {
      const { status, phase, blocked_on } = event.state;
      const gate = 'gateType' in event ? { gate_type: event.gateType } : {};
      return { event: event.type, ...gate, status, phase, blocked_on };
    }
  }
}

interface LiveOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface LiveLine {
  /** Shows the roles with a dispatched turn. */
  show(roles: readonly string[]): void;
  /** Clears the line before other output. */
  clear(): void;
}

const TICK_MS = 1_000;

export function createLiveLine(output: LiveOutput): LiveLine {
  if (output.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    output.write('\r\u001b[K');
  };
  return {
    clear,
    show(roles) {
      clear();
      if (roles.length === 0) return;
      const begunMs = performance.now();
      const draw = (): void => {
        const line = `… ${roles.join(', ')} working for ${formatDuration(performance.now() - begunMs)}`;
        output.write(`\r\u001b[K${printableLine(line)}`);
      };
      draw();
      timer = setInterval(draw, TICK_MS);
    },
  };
}
