/** `parley sessions`. */

import type { SessionSummary } from '../../core/operations.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import type { Style } from '../../cli/terminal/terminal.ts';
import { agentNames } from './agent-names.ts';
import { fromNow, writeColumns } from './columns.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { allSessions } from '../../cli/connecting/find-session.ts';
import { wholeIn } from '../../cli/terminal/parse-values.ts';
import { looking } from './reach.ts';

const STATES: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'];
const LIVE: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING'];

export const STATE_STYLES: { readonly [State in LifecycleState]: Style } = {
  INVITED: 'yellow',
  ACTIVE: 'green',
  CLOSING: 'yellow',
  CLOSED: 'dim',
  EXPIRED: 'red',
};

export const sessions: Command = {
  name: 'sessions',
  summary: 'The sessions there are, newest first.',
  details: "Everybody's, with the grant observe, which the operator has; else your own, with --as.",
  options: [
    { name: 'live', help: 'Only those that have not ended.' },
    { name: 'state', value: 'state', help: 'Only those in this state.', values: STATES, isMany: true },
    { name: 'type', value: 'type', help: 'Only those of this type.' },
    { name: 'limit', value: 'number', help: 'At most so many (50).' },
    { name: 'as', value: 'name', help: 'Whose; a token for one name knows it by itself.' },
  ],
  on: 'hub',
  examples: ['parley sessions --live', 'parley sessions --json | jq -r .session_id'],
  json: 'A line for each session: {"session_id", "type", "state", "creator_id", "created_at", "head_seq", "turn", …}.',
  run(asked, io) {
    const { lists, values, switches } = asked;
    const limit = values.limit === undefined ? 50 : wholeIn('--limit', values.limit, 1);
    const states = (lists.state as LifecycleState[] | undefined) ?? (switches.has('live') ? LIVE : undefined);
    const query = {
      ...(states === undefined ? {} : { states }),
      ...(values.type === undefined ? {} : { type: values.type }),
    };
    return looking(asked, io, async (client) => {
      const found: SessionSummary[] = [];
      for await (const session of allSessions(client, query, limit)) {
        io.put(session);
        found.push(session);
      }
      if (io.isJson) return EXIT.done;
      if (found.length === 0) io.say('no sessions; "parley open consulting --to bob …" opens one');
      else writeColumns(io.terminal, HEADS, rowsOf(found, await agentNames(client)));
      return EXIT.done;
    });
  },
};

const HEADS = ['session', 'type', 'state', 'seq', 'opened by', 'created', 'turn', 'ended'];

function rowsOf(found: readonly SessionSummary[], names: (id: string) => string) {
  return found.map(({ session_id, type, state, head_seq, creator_id, created_at, turn, close_reason }) => [
    { text: session_id },
    { text: type },
    { text: state, style: STATE_STYLES[state] },
    { text: String(head_seq) },
    { text: names(creator_id) },
    { text: fromNow(created_at, Date.now()) },
    { text: turn === null ? '' : names(turn.agent_id) },
    { text: close_reason ?? '' },
  ]);
}
