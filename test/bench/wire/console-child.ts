/** Consoles as a hub sees them: some poll the list once a second, others observe one session and poll its state. */

import { FrameSocket } from './frame-socket.ts';
import { answerOrders, type ConsoleOrder } from './orders.ts';
import { Party } from './party.ts';

const VISIBLE = 30;
const POLL_MS = 1_000;
/** Poll with overlap, because clocks differ. */
const OVERLAP_MS = 2_000;

interface Page {
  readonly sessions: readonly { readonly session_id: string; readonly head_seq: number }[];
}

const lists: Party[] = [];
const inSession: Party[] = [];
let timers: NodeJS.Timeout[] = [];
let sessionId = '';
const open = new Set<Promise<unknown>>();
let seen = { rows: 0, envelopes: 0, states: 0 };

answerOrders<ConsoleOrder>(async (order) => {
  switch (order.do) {
    case 'join':
      for (let i = 0; i < order.lists; i++) lists.push(await join(order.port, `list-${i}`));
      for (let i = 0; i < order.inSession; i++) inSession.push(await join(order.port, `open-${i}`));
      return [...lists, ...inSession].map(({ name }) => name);
    case 'look':
      return look();
    case 'rest':
      return rest();
  }
});

async function join(port: number, name: string): Promise<Party> {
  const party = new Party(await FrameSocket.open(port), name, false);
  await party.register();
  // A browser runs elsewhere: handling an envelope must cost little here.
  party.socket.onEnvelope = () => {
    seen.envelopes += 1;
  };
  return party;
}

async function look(): Promise<void> {
  seen = { rows: 0, envelopes: 0, states: 0 };
  sessionId ||= await busiest();
  await Promise.all(inSession.map((party) => party.ask('subscribe', { session_id: sessionId })));
  const looks = [...lists.map((party) => () => poll(party)), ...inSession.map((party) => () => readState(party))];
  timers = looks.map((one) => setInterval(() => begin(one()), POLL_MS));
  // Spread the first polls.
  for (const [i, one] of looks.entries()) setTimeout(() => begin(one()), (i * POLL_MS) / looks.length);
}

async function rest(): Promise<typeof seen> {
  for (const timer of timers) clearInterval(timer);
  await Promise.all(open);
  await Promise.all(inSession.map((party) => party.ask('unsubscribe', { session_id: sessionId })));
  return seen;
}

function begin(work: Promise<unknown>): void {
  open.add(work);
  void work.finally(() => open.delete(work));
}

async function poll(party: Party): Promise<void> {
  const changed_since = new Date(Date.now() - OVERLAP_MS).toISOString();
  // The result of list_sessions.
  const { sessions } = (await party.ask('list_sessions', { all: true, changed_since, limit: 100 })) as Page;
  const session_ids = sessions.slice(0, VISIBLE).map(({ session_id }) => session_id);
  const described = (await party.ask('describe_sessions', { session_ids })) as Page;
  seen.rows += described.sessions.length;
}

async function readState(party: Party): Promise<void> {
  await party.ask('read_state', { session_id: sessionId });
  seen.states += 1;
}

/** A session the load talks in. */
async function busiest(): Promise<string> {
  const [party] = lists;
  if (party === undefined) throw new Error('nobody has the list open');
  const { sessions } = (await party.ask('list_sessions', { all: true, limit: 1_000 })) as Page;
  const [first] = sessions.toSorted((a, b) => b.head_seq - a.head_seq);
  if (first === undefined) throw new Error('there are no sessions');
  return first.session_id;
}
