/** All clients of a storm in one process: each has a conversation with a poster, which the storm does not hit. */

import { type AgentClient, connect, type Session } from 'parley-hub';
import type { FromStorm, StormPlan, ToStorm } from './storm-messages.ts';

/** First connections at the same time; reconnects are not limited. */
const AT_ONCE = 100;
const PER_POSTER = 100;

const { clients, url, directUrl } = JSON.parse(process.argv[2] ?? '{}') as StormPlan;
const tell = (message: FromStorm): void => void (process.connected && process.send?.(message, () => {}));
const names = Array.from({ length: clients }, (_, i) => `c${i}`);
/** By recipient and session: the texts, in order. */
const heard = new Map<string, string[]>();
const sessions: { readonly poster: Session; readonly client: Session }[] = [];
const everyone: AgentClient[] = [];
let batches = 0;
let posted = 0;

// The parent has ended, so end too.
process.on('disconnect', () => process.exit(1));
process.on('message', ({ kind }: ToStorm) => {
  if (kind === 'post') void post();
  else tell({ kind: 'count', count: count() });
});
await prepare();
tell({ kind: 'prepared' });

async function prepare(): Promise<void> {
  const posterNames = Array.from({ length: Math.ceil(clients / PER_POSTER) }, (_, i) => `p${i}`);
  const posters = await Promise.all(posterNames.map((name) => join(name, directUrl)));
  for (let from = 0; from < clients; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE);
    const joined = await Promise.all(some.map((name) => join(name, url)));
    const opened = await Promise.all(
      some.map((name, i) => (posters[(from + i) % posters.length] as AgentClient).open('conversation', [name])),
    );
    for (const [i, session] of opened.entries()) {
      sessions.push({ poster: session, client: (joined[i] as AgentClient).session(session.id) });
    }
  }
}

async function join(name: string, to: string): Promise<AgentClient> {
  const client = await connect(to, {
    name,
    onMessage: ({ text }, { id }) => {
      const key = `${id} ${name.charAt(0)}`;
      const texts = heard.get(key) ?? [];
      texts.push(text);
      heard.set(key, texts);
    },
  });
  everyone.push(client);
  return client;
}

/** Both ends of every session post; a disconnected one posts once it is back. */
async function post(): Promise<void> {
  batches += 1;
  const text = String(batches);
  const both = sessions.flatMap(({ poster, client }) => [poster, client]);
  const done = (): void => {
    posted += 1;
  };
  await Promise.all(both.map((session) => session.send(text).then(done)));
}

function count(): Extract<FromStorm, { kind: 'count' }>['count'] {
  const expected = Array.from({ length: batches }, (_, i) => String(i + 1));
  const streams = sessions.flatMap(({ poster: { id } }) => [heard.get(`${id} c`) ?? [], heard.get(`${id} p`) ?? []]);
  const isWhole = (texts: readonly string[]): boolean => texts.join() === expected.join();
  const isWrong = (texts: readonly string[]): boolean => texts.join() !== expected.slice(0, texts.length).join();
  return {
    away: everyone.filter(({ state }) => state === 'away').length,
    closed: everyone.filter(({ state }) => state === 'closed').length,
    asked: 2 * sessions.length * batches,
    posted,
    heard: streams.reduce((sum, texts) => sum + texts.length, 0),
    incomplete: streams.filter((texts) => !isWhole(texts)).length,
    wrong: streams.filter(isWrong).length,
  };
}
