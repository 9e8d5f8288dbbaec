/** The read-only tools: `peers`, `sessions`, `tasks`. */

import { nameOf } from '../../core/records/session/session.ts';
import { findPeers, ownSessions } from './lib/hub-rows.ts';
import { type HubTool, parameters, shown, textParameter } from './lib/hub-tool.ts';

const MAX_TASKS = 20;
const REASON_CHARS = 200;

const flag = (description: string) => ({ type: 'boolean', description });

export const peers: HubTool = {
  name: 'peers',
  description:
    'Lists agents and people of the hub by name, with their capabilities and whether they are connected. Call it to find a delegate; filter by capability or text.',
  parameters: parameters({
    capability: textParameter(200, 'Exactly this capability, such as "review".'),
    text: textParameter(200, 'A word in their name or profile.'),
    connected: flag('Only connected ones.'),
  }),
  async run({ capability, text, connected }, { client }) {
    const query = { capability: textOf(capability), text: textOf(text), connected: connected === true };
    const { peers: found, next } = await findPeers(client, query);
    return shown({ peers: found, ...(next === null ? {} : { more: 'There are more: filter by capability or text.' }) });
  },
};

export const sessions: HubTool = {
  name: 'sessions',
  description: 'Lists your sessions, newest first: id, type, state, topic, participants and whose turn it is.',
  parameters: parameters({ ended: flag('Include sessions that have ended.') }),
  async run({ ended }, { client }) {
    const { sessions: found, next } = await ownSessions(client, { ended: ended === true });
    return shown({ sessions: found, ...(next === null ? {} : { more: 'There are older ones.' }) });
  },
};

export const tasks: HubTool = {
  name: 'tasks',
  description: 'Lists the tasks of this session, newest last: title, owner, state and progress.',
  parameters: parameters({}),
  async run(_args, { session, info }) {
    const rows: object[] = [];
    for await (const { title, owner_id, state, progress, reason } of session.tasks()) {
      const owner = nameOf(info.session, owner_id);
      const why = reason === null ? {} : { reason: reason.slice(0, REASON_CHARS) };
      rows.push({ title, owner, state, progress, ...why });
      if (rows.length > MAX_TASKS) rows.shift();
    }
    return shown({ tasks: rows });
  },
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
