/** The tools that only look around: `peers`, `sessions`, `tasks`. */

import { nameOf } from '../../core/records/session/session.ts';
import { findPeers, ownSessions } from './lib/hub-rows.ts';
import { type HubTool, parameters, shown } from './lib/hub-tool.ts';

const MAX_TASKS = 20;
const REASON_CHARS = 200;

const word = (description: string) => ({ type: 'string', minLength: 1, maxLength: 200, description });
const flag = (description: string) => ({ type: 'boolean', description });

export const peers: HubTool = {
  name: 'peers',
  description:
    'Lists agents and people of the hub, by name, with what they say they can do and whether they are connected. Call it to find whom to delegate to; narrow it with capability or text.',
  parameters: parameters({
    capability: word('Exactly this capability, such as "review".'),
    text: word('A word that is in their name or in what they say of themselves.'),
    connected: flag('Only who is connected now.'),
  }),
  async run({ capability, text, connected }, { client }) {
    const query = { capability: textOf(capability), text: textOf(text), connected: connected === true };
    const { peers: found, next } = await findPeers(client, query);
    return shown({ peers: found, ...(next === null ? {} : { more: 'There are more: ask with capability or text.' }) });
  },
};

export const sessions: HubTool = {
  name: 'sessions',
  description:
    'Lists the sessions you are in, newest first: id, type, state, topic, who is in it and whose turn it is.',
  parameters: parameters({ ended: flag('Also those that have ended.') }),
  async run({ ended }, { client }) {
    const { sessions: found, next } = await ownSessions(client, { ended: ended === true });
    return shown({ sessions: found, ...(next === null ? {} : { more: 'There are older ones.' }) });
  },
};

export const tasks: HubTool = {
  name: 'tasks',
  description: 'Lists what is worked on in this session, and by whom: title, state, progress; the newest last.',
  parameters: parameters({}),
  async run(_args, { session, info }) {
    const rows: object[] = [];
    for await (const { title, owner_id, state, progress, reason } of session.tasks()) {
      const owner = nameOf(info.session, owner_id);
      rows.push({
        title,
        owner,
        state,
        progress,
        ...(reason === null ? {} : { reason: reason.slice(0, REASON_CHARS) }),
      });
      if (rows.length > MAX_TASKS) rows.shift();
    }
    return shown({ tasks: rows });
  },
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
