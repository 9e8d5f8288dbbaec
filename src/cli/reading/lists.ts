/** `parley sessions` and `parley agents`: list sessions and agents. */

import type { AgentClient } from '../../client/agent-client.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import type { FoundAgent } from '../../core/records/identity/find-agent.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import { COMMAND_NAME_PREFIX } from '../connecting/command-name.ts';
import { withHub } from '../connecting/connect.ts';
import { allSessions } from '../connecting/find-session.ts';
import { formatRelative, printTable, type Table } from '../terminal/columns.ts';
import { type Command, READER_OPTION } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { parseInteger } from '../terminal/parse-values.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

const STATES: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'];
const LIVE: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING'];

const STATE_STYLES: { readonly [State in LifecycleState]: Style } = {
  INVITED: 'yellow',
  ACTIVE: 'green',
  CLOSING: 'yellow',
  CLOSED: 'dim',
  EXPIRED: 'red',
};

export const sessions: Command = {
  name: 'sessions',
  summary: 'List sessions, newest first',
  details: 'With the observe grant, lists all sessions; without it, those of the --as identity.',
  options: [
    { name: 'live', help: 'Only sessions that have not ended' },
    { name: 'state', value: 'state', help: 'Only sessions in this state', values: STATES, isMany: true },
    { name: 'type', value: 'type', help: 'Only sessions of this type' },
    { name: 'limit', value: 'number', help: 'Maximum number of sessions (default: 50)' },
    READER_OPTION,
  ],
  on: 'hub',
  examples: [
    ['List live sessions', 'parley sessions --live'],
    ['Print only the ids', 'parley sessions --json | jq -r .session_id'],
  ],
  json: 'One line per session: {"session_id", "type", "state", "creator_id", "created_at", "head_seq", "turn", …}.',
  run(args, io) {
    const { lists, values, switches } = args;
    const limit = values.limit === undefined ? 50 : parseInteger('--limit', values.limit, 1);
    const states = (lists.state as LifecycleState[] | undefined) ?? (switches.has('live') ? LIVE : undefined);
    const query = {
      ...(states === undefined ? {} : { states }),
      ...(values.type === undefined ? {} : { type: values.type }),
    };
    return withHub(args, io, 'reader', async (client) => {
      const names = io.isJson ? String : await agentNames(client);
      await printTable(io, allSessions(client, query, limit), sessionTable(names));
      return EXIT.done;
    });
  },
};

function sessionTable(names: (id: string) => string): Table<SessionSummary> {
  return {
    heads: ['session', 'type', 'state', 'seq', 'opened by', 'created', 'turn', 'ended'],
    empty: 'no sessions; "parley open consulting --to bob …" opens one',
    row: ({ session_id, type, state, head_seq, creator_id, created_at, turn, close_reason }) => [
      session_id,
      type,
      { text: state, style: STATE_STYLES[state] },
      String(head_seq),
      names(creator_id),
      formatRelative(created_at, Date.now()),
      turn === null ? '' : names(turn.agent_id),
      close_reason ?? '',
    ],
  };
}

export const agents: Command = {
  name: 'agents',
  summary: 'List agents, their connections and capabilities',
  options: [
    { name: 'bound', help: 'Only agents that are connected' },
    { name: 'capability', value: 'word', help: 'Only agents with this capability' },
    { name: 'text', value: 'words', help: 'Only agents whose profile contains these words' },
    { name: 'all', help: `Include names that were generated for parley commands (${COMMAND_NAME_PREFIX}…)` },
    READER_OPTION,
  ],
  on: 'hub',
  examples: [
    ['List connected agents', 'parley agents --bound'],
    ['Find reviewers in a script', 'parley agents --capability review --json'],
  ],
  json: 'One line per agent: {"name", "agent_id", "kind", "bound", "resume", …}.',
  run(args, io) {
    const { values, switches } = args;
    const query = {
      ...(switches.has('bound') ? { bound: true } : {}),
      ...(values.capability === undefined ? {} : { capability: values.capability }),
      ...(values.text === undefined ? {} : { text: values.text }),
    };
    return withHub(args, io, 'reader', async (client) => {
      await printTable(io, foundAgents(client, query, switches.has('all')), AGENT_TABLE);
      return EXIT.done;
    });
  },
};

async function* foundAgents(
  client: AgentClient,
  query: Parameters<AgentClient['findAgents']>[0],
  all: boolean,
): AsyncGenerator<FoundAgent> {
  for await (const agent of client.findAgents(query)) {
    if (all || !agent.name.startsWith(COMMAND_NAME_PREFIX)) yield agent;
  }
}

const AGENT_TABLE: Table<FoundAgent> = {
  heads: ['name', 'kind', 'here', 'can', 'about'],
  empty: 'no agents; "parley join --name bob --human" adds one',
  row: ({ name, kind, bound, resume }) => [
    name,
    kind,
    bound ? { text: 'yes', style: 'green' } : { text: 'no', style: 'dim' },
    resume.claimed_capabilities.join(', '),
    resume.summary,
  ],
};

/** Maps ids to names, for lists that contain only ids. */
export async function agentNames(client: AgentClient): Promise<(id: string) => string> {
  const names = new Map<string, string>();
  for (let after: string | null | undefined; after !== null; ) {
    const page: Result<'list_agents'> = await client.call('list_agents', { after, limit: 1000 });
    for (const { agent_id, name } of page.agents) names.set(agent_id, printableLine(name));
    after = page.next;
  }
  return (id) => names.get(id) ?? id;
}
