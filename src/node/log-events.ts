/** What happens in a hub, for its log: who comes and goes, which sessions begin and end. Never what is said. */

import type { Log } from '../core/ports/platform.ts';
import type { SessionMetadata } from '../core/records/session/session.ts';
import type { LocalHub } from '../server/create-hub.ts';

export function logEvents(hub: LocalHub, log: Log): void {
  hub.on('agentRegistered', ({ passport: { agent_id, name, kind } }) =>
    log.info('registered', { name, kind, agent_id }),
  );
  hub.on('agentUnregistered', ({ passport: { agent_id, name } }) => log.info('unregistered', { name, agent_id }));
  hub.on('agentBound', ({ name, agent_id }) => log.info('connected', { name, agent_id }));
  hub.on('agentUnbound', ({ name, agent_id, reason }) => log.info('disconnected', { name, agent_id, reason }));
  hub.on('sessionCreated', ({ session }) => log.info('session created', aboutSession(session)));
  hub.on('sessionEnded', ({ session }) =>
    log.info('session ended', { ...aboutSession(session), state: session.state, envelopes: session.head_seq }),
  );
  hub.on('sessionUnavailable', (about) => log.warn('session unavailable', about));
  hub.on('envelopeRedacted', ({ session_id, seq, by }) => log.info('redacted', { session_id, seq, by }));
  hub.on('expectationViolated', ({ session, seq, violation }) =>
    log.info('expectation violated', { session_id: session.session_id, seq, name: violation.name }),
  );
  hub.on('scheduleRan', ({ schedule: { schedule_id } }) => log.info('schedule ran', { schedule_id }));
}

function aboutSession({ session_id, manifest, participants }: SessionMetadata) {
  return { session_id, type: manifest.type, participants: participants.map(({ name }) => name) };
}
