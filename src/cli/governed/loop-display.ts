/** What a loop tells while it runs: a line for people, a value for programs. */

import type { LoopEvent } from '../../governed/loop/types.ts';

export function lineOf(event: LoopEvent): string {
  switch (event.type) {
    case 'turn_assigned':
      return `→ ${event.role} has ${event.turn.turn_id} (${event.state.phase})`;
    case 'turn_accepted':
      return `✓ ${event.role}: ${event.acceptResult.accepted.summary}`;
    case 'turn_rejected':
    case 'turn_conflicted': {
      const what = event.type === 'turn_rejected' ? 'sent back' : 'clashed with another turn';
      return `✗ ${event.role}, ${what}${event.escalated ? ', no tries left' : ''}: ${event.reason}`;
    }
    case 'parallel_dispatch':
      return `⇉ ${event.turns.map(({ assigned_role }) => assigned_role).join(', ')} at the same time`;
    case 'gate_paused':
    case 'gate_approved':
    case 'gate_held':
      return `◆ ${gateOf(event)} ${{ gate_paused: 'waits for approval', gate_approved: 'is approved', gate_held: 'stays closed' }[event.type]}`;
    case 'completed':
      return '● the run is completed';
    case 'blocked':
      return `■ the run is blocked on ${event.state.blocked_on}: ${event.state.blocked_reason?.recovery.detail ?? ''}`;
    case 'caller_stopped':
      return 'nobody has the next turn';
  }
}

function gateOf({ gateType, state }: Extract<LoopEvent, { gateType: unknown }>): string {
  const gate = (state.pending_phase_transition ?? state.pending_run_completion)?.gate;
  return gate ? `gate ${gate}` : `the gate (${gateType.replaceAll('_', ' ')})`;
}

/** Without the whole state, which `status --json` has. */
export function shownEvent(event: LoopEvent): object {
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
      return {
        event: event.type,
        ...('gateType' in event ? { gate_type: event.gateType } : {}),
        status,
        phase,
        blocked_on,
      };
    }
  }
}
