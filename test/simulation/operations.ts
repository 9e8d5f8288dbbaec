/** The operations of a history, one line of the table each. `run` returns false if it is not possible now. */

import { type Entry, type ExpectationEntry, isTerminal } from 'parley-hub/core';
import { nextStamp } from '../../src/core/records/session/stamp.ts';
import type { SessionState } from '../../src/core/state/state.ts';
import type { Random } from '../../src/testing/lib/random.ts';
import { delegationOperations } from './delegation-operations.ts';
import { governedOperations } from './governed-operations.ts';
import { ruleOperations } from './rule-operations.ts';
import { scheduleOperations } from './schedule-operations.ts';
import type { SimClient } from './sim-client.ts';
import { ask, op, type SimOperation } from './sim-operation.ts';
import type { Simulation } from './simulation.ts';
import { taskOperations } from './task-operations.ts';
import { knobsFor, someLimits, turnOperations } from './turn-operations.ts';

export const simOperations: readonly SimOperation[] = [
  ...turnOperations,
  ...governedOperations,
  ...delegationOperations,
  ...taskOperations,
  ...scheduleOperations,
  ...ruleOperations,
  op('create', 9, (sim) => withBound(sim, (client) => create(sim, client, sim.random.chance(0.5)))),
  op('create again', 2, (sim) => withBound(sim, (client) => repeatCreate(sim, client))),
  op('ack invite', 40, (sim) => withInvite(sim, (client, session_id) => ask(client, 'ack_invite', { session_id }))),
  op('reject invite', 11, (sim) =>
    withInvite(sim, (client, session_id) => ask(client, 'reject_invite', { session_id })),
  ),
  op('outsider answers an invite', 1, (sim) =>
    withAny(sim, (client, session_id) => ask(client, sim.random.pick(['ack_invite', 'reject_invite']), { session_id })),
  ),
  op('post', 26, (sim) => withSession(sim, (client, session) => post(sim, client, session, {}))),
  op('post without a key', 3, (sim) =>
    withSession(sim, (client, session) => post(sim, client, session, { idempotency_key: undefined })),
  ),
  op('whisper', 3, (sim) =>
    withSession(sim, (client, session) =>
      post(sim, client, session, { event_type: 'note', event_data: { n: 1 }, audience: someIds(sim) }),
    ),
  ),
  op('post that soon expires', 2, (sim) =>
    withSession(sim, (client, session) =>
      post(sim, client, session, { event_type: 'note', event_data: {}, ttl_seconds: 0.5 }),
    ),
  ),
  op('post of a hub type', 1, (sim) =>
    withSession(sim, (client, session) =>
      post(sim, client, session, { event_type: 'session.closed', event_data: { reason: 'forged' } }),
    ),
  ),
  op('post by a stranger', 1, (sim) => withAny(sim, (client, session) => post(sim, client, session, {}))),
  op('post with an expected seq', 3, (sim) =>
    withSession(sim, (client, session) => post(sim, client, session, { expected_seq: expectedSeq(sim, session) })),
  ),
  op('repeat a key', 5, (sim) => withSession(sim, (client, session) => repeatKey(sim, client, session, false))),
  op('reuse a key for other content', 2, (sim) =>
    withSession(sim, (client, session) => repeatKey(sim, client, session, true)),
  ),
  op('retry what was not answered', 5, retry),
  op('close', 2, (sim) =>
    withSession(sim, (client, session_id) =>
      ask(client, 'close_session', { session_id, reason: sim.random.pick(['done', 'enough']) }),
    ),
  ),
  op('add a participant', 12, (sim) => withSeveral(sim, (client, session) => addSomeone(sim, client, session))),
  op('leave', 1, (sim) => withSession(sim, (client, session_id) => ask(client, 'leave_session', { session_id }))),
  op('hide', 3, (sim) => operate(sim, 'hideParticipant')),
  op('return', 2, (sim) => operate(sim, 'returnParticipant')),
  op('remove', 0.7, (sim) => operate(sim, 'removeParticipant')),
  op('set a resume', 2, (sim) => withBound(sim, (client) => setResume(sim, client))),
  op('close and post at once', 1, (sim) => withSession(sim, (client, session) => closeRace(sim, client, session))),
  op('ack', 22, (sim) => withArrived(sim, (client) => receipts(sim, client, 'ack'))),
  op('nack', 2, (sim) => withArrived(sim, (client) => receipts(sim, client, 'nack'))),
  op('nack to the end', 0.5, (sim) => withArrived(sim, (client) => nackToTheEnd(sim, client))),
  op('seen', 1, (sim) => withArrived(sim, (client) => receipts(sim, client, 'seen'))),
  op('lose receipts', 2, (sim) => withArrived(sim, (client) => loseReceipts(client))),
  op('bogus receipt', 1, (sim) => withBound(sim, (client) => bogus(sim, client))),
  op('connect', 6, connect),
  op('take over', 2, takeOver),
  op('say hello again', 2, (sim) => withBound(sim, (client) => helloAgain(sim, client))),
  op('cut a link', 3, (sim) => withBound(sim, (client) => cut(sim, client))),
  op('client forgets', 1, (sim) => clientForgets(sim)),
  op('unregister', 0.5, (sim) => withBound(sim, (client) => ask(client, 'unregister', {}))),
  op('register a taken name', 0.5, (sim) => withBound(sim, (client) => ask(client, 'register', { name: 'ann' }))),
  op('read', 6, (sim) => withSession(sim, (client, session) => read(sim, client, session))),
  op('a second passes', 5, (sim) => pass(sim, 1000)),
  op('half a minute passes', 0.7, (sim) => pass(sim, 31_000)),
  op('hours pass', 0.3, (sim) => pass(sim, 3 * 3_600_000)),
  op('the clock jumps ahead', 0.7, (sim) => jump(sim, 1)),
  op('the clock jumps back', 0.7, (sim) => jump(sim, -1)),
  op('the clock goes astray', 0.8, (sim) => astray(sim)),
  op('evict', 2, (sim) => evict(sim)),
  op('crash before the sync', 0.6, (sim) => crash(sim, 'before')),
  op('crash in the sync', 0.8, (sim) => crash(sim, 'in')),
  op('crash after the sync', 0.6, (sim) => crash(sim, 'after')),
  op('restart', 0.4, (sim) => restart(sim)),
  op('the sync fails', 0.8, (sim) => failSync(sim)),
  op('a conflict', 2, (sim) => conflict(sim)),
  op('another writer posts', 1.5, (sim) => foreign(sim, 'note')),
  op('another writer closes', 0.8, (sim) => foreign(sim, 'close')),
];

/** So often that their ends are seen. */
const TYPES =
  'consulting consulting conversation panel panel discussion discussion discussion workflow workflow workflow workflow workflow'.split(
    ' ',
  );

function create(sim: Simulation, client: SimClient, keyed: boolean): string {
  const { random } = sim;
  const type = random.pick(TYPES);
  const isForSeveral = type !== 'consulting' && type !== 'conversation';
  const others = sim.clients.filter((other) => other !== client && other.agentId !== null).map(({ name }) => name);
  const participants = isForSeveral
    ? others.slice(0, 1 + random.below(others.length))
    : [random.pick(others.length > 0 ? others : ['nobody'])];
  const params = {
    type,
    participants: participants.length > 0 ? participants : ['nobody'],
    wait: random.pick(['created', 'created', 'active']),
    ttl: random.pick([undefined, undefined, 0, 0, 0, 0, 60]),
    ...(isForSeveral && participants.length > 1 && random.chance(0.6) ? { required_acks: 1 } : {}),
    knobs: type === 'panel' ? { most: 2 + random.below(4) } : knobsFor(sim, type, [client.name, ...participants]),
    ...(random.chance(0.35) && client.sessions.size > 0
      ? { parent_session_id: random.pick([...client.sessions]) }
      : {}),
    ...(random.chance(0.55) ? { expectations: [...someExpectations(sim), ...someLimits(sim)] } : {}),
    ...(keyed ? { idempotency_key: `c${random.below(1000)}` } : {}),
  };
  if (params.required_acks !== undefined) sim.count('quorum of less than all');
  return ask(client, 'create_session', JSON.parse(JSON.stringify(params)));
}

const EVALUATORS = [
  'acks_within',
  'reply_within',
  'reply_within',
  'reply_within',
  'turn_within',
  'turn_within',
  'turn_within',
  'max_silence',
];
const HANDLERS = ['audit', 'audit', 'warn', 'warn', 'notify_session', 'hide', 'remove', 'auto_close'];

/** Times of a few sweeps, and longer than a history takes. */
function someExpectations({ random }: Simulation): readonly ExpectationEntry[] {
  const entries = Array.from({ length: random.below(4) }, () => {
    const name = random.pick(EVALUATORS);
    return {
      name,
      on_violation: random.pick(HANDLERS),
      params: { seconds: random.pick([1, 2, 5, 20, 60, 600]), ...(name === 'turn_within' ? ofTurns(random) : {}) },
      ...(random.chance(0.2) ? { applies_to: [random.pick(['initiator', 'participant'])] } : {}),
    };
  });
  return random.chance(0.5) ? [...entries, patientTurns(random)] : entries;
}

/** Expectations of turns that may take a while, and continue after a violation. */
function patientTurns(random: Random): ExpectationEntry {
  const params = { seconds: random.pick([20, 60]), ...(random.chance(0.5) ? { on_failure: true } : {}) };
  return { name: 'turn_within', on_violation: random.pick(['audit', 'warn', 'notify_session']), params };
}

function ofTurns(random: Random): { readonly heartbeat?: boolean; readonly on_failure?: boolean } {
  return { ...(random.chance(0.3) ? { heartbeat: false } : {}), ...(random.chance(0.5) ? { on_failure: true } : {}) };
}

function repeatCreate(sim: Simulation, client: SimClient): string {
  const params = {
    type: 'conversation',
    participants: [sim.clients.find((one) => one !== client && one.agentId !== null)?.name ?? 'nobody'],
    wait: 'created',
    idempotency_key: 'again',
  };
  client.ask('create_session', params);
  return ask(client, 'create_session', params);
}

function post(sim: Simulation, client: SimClient, session_id: string, more: Record<string, unknown>): string {
  const n = sim.random.below(1_000_000);
  const params = {
    session_id,
    event_type: 'msg.text',
    event_data: { text: `t${n}` },
    idempotency_key: `k${n}`,
    ...more,
  };
  return ask(client, 'post', JSON.parse(JSON.stringify(params)));
}

/** Repeats an earlier request. */
function repeatKey(sim: Simulation, client: SimClient, session: string, otherContent: boolean): string | false {
  const mine =
    sim.model.sessions
      .get(session)
      ?.entries.filter(({ envelope }) => envelope.sender_id === client.agentId && envelope.idempotency_key !== null) ??
    [];
  if (mine.length === 0) return false;
  const { idempotency_key, event_type, event_data, audience, ttl_seconds } = sim.random.pick(mine).envelope;
  const content = otherContent ? { event_data: { text: 'something else', body: 'something else' } } : { event_data };
  return ask(client, 'post', { session_id: session, event_type, idempotency_key, audience, ttl_seconds, ...content });
}

function retry(sim: Simulation): string | false {
  const client = sim.clients.find((one) => one.bound && one.unanswered.length > 0);
  const asked = client?.unanswered.shift();
  if (client === undefined || asked === undefined) return false;
  return ask(client, asked.op, { ...asked.params });
}

function closeRace(sim: Simulation, client: SimClient, session_id: string): string {
  const other = sim.random.pick(sim.clients);
  client.ask('close_session', { session_id, reason: 'race' });
  if (other.bound) post(sim, other, session_id, {});
  return post(sim, client, session_id, {});
}

/** Mostly a non-participant, preferably one that declined. */
function addSomeone(sim: Simulation, client: SimClient, session_id: string): string {
  const participants = sim.model.state(session_id)?.metadata.participants ?? [];
  const statusOf = ({ agentId }: SimClient) => participants.find(({ agent_id }) => agent_id === agentId)?.status;
  const known = sim.clients.filter(({ agentId }) => agentId !== null);
  const declined = known.filter((one) => statusOf(one) === 'rejected');
  const absent = known.filter((one) => statusOf(one) === undefined);
  const wanted = declined.length > 0 ? declined : absent;
  const choice = wanted.length > 0 && sim.random.chance(0.8) ? wanted : known;
  return ask(client, 'add_participant', { session_id, participant: sim.random.pick(choice).name });
}

/** A library call on any participant of any session. */
function operate(sim: Simulation, call: 'hideParticipant' | 'returnParticipant' | 'removeParticipant'): string | false {
  const live = [...sim.model.sessions].filter(
    ([, { states }]) => !isTerminal(states.at(-1)?.metadata.state ?? 'CLOSED'),
  );
  if (live.length === 0) return false;
  const [sessionId] = sim.random.pick(live);
  const { name } = sim.random.pick(sim.clients);
  sim.operate((hub) => hub[call](sessionId, name));
  return `${call} ${name} ${sessionId}`;
}

function setResume(sim: Simulation, client: SimClient): string {
  return ask(client, 'set_resume', { claimed_capabilities: [sim.random.pick(['review', 'test'])] });
}

function receipts(sim: Simulation, client: SimClient, status: 'ack' | 'nack' | 'seen'): string {
  const most = status === 'ack' ? client.arrived.length : 1;
  const some = client.arrived.splice(sim.random.below(client.arrived.length), 1 + sim.random.below(most));
  for (const one of some) client.receipt(one, status);
  return `${client.name} ${status} ${some.map(({ session, seq }) => `${session.slice(0, 6)}/${seq}`).join(' ')}`;
}

/** Nacks the same envelope until the hub gives up. */
async function nackToTheEnd(sim: Simulation, client: SimClient): Promise<string> {
  const one = sim.random.pick(client.arrived);
  for (const seconds of [1, 2, 4, 8, 16, 1]) {
    client.receipt(one, 'nack');
    await sim.flow();
    sim.clock.advance(seconds * 1000);
    sim.sweep();
    await sim.flow();
  }
  client.arrived = client.arrived.filter(({ session, seq }) => session !== one.session || seq !== one.seq);
  return `${client.name} nacks ${one.session.slice(0, 6)}/${one.seq} to the end`;
}

function loseReceipts(client: SimClient): string {
  const lost = client.arrived.splice(0).length;
  return `${client.name} loses ${lost} receipts`;
}

function bogus(sim: Simulation, client: SimClient): string {
  const session = sim.random.pick([...sim.model.sessions.keys(), 'f'.repeat(32)]);
  client.send({ kind: 'receipt', recipient_id: client.agentId, session_id: session, seq: 999, status: 'ack' });
  return `${client.name} bogus receipt`;
}

function connect(sim: Simulation): string | false {
  const gone = sim.clients.filter(({ wire }) => wire === null);
  if (gone.length === 0) return false;
  const client = sim.random.pick(gone);
  const resume = sim.random.chance(0.5);
  client.connect(resume);
  return `${client.name} connects${resume ? ' with resume' : ''}`;
}

/** A second connection for the same identity, while the first is open. */
function takeOver(sim: Simulation): string | false {
  const bound = sim.clients.filter((client) => client.bound);
  if (bound.length === 0) return false;
  const client = sim.random.pick(bound);
  sim.abandon(client);
  client.connect(sim.random.chance(0.5));
  return `${client.name} takes over`;
}

function helloAgain(sim: Simulation, client: SimClient): string {
  client.arrived = [];
  client.hello(sim.random.chance(0.5));
  return `${client.name} says hello again`;
}

function cut(sim: Simulation, client: SimClient): string {
  sim.cut(client);
  return `${client.name} is cut off`;
}

function clientForgets(sim: Simulation): string {
  const client = sim.random.pick(sim.clients);
  sim.cut(client);
  client.forget();
  return `${client.name} forgets`;
}

function read(sim: Simulation, client: SimClient, session_id: string): string {
  const name = sim.random.pick([
    'get_session',
    'read_log',
    'list_sessions',
    'can_send',
    'pending_turns',
    'list_agents',
    'find_agent',
    'get_skill',
    'health',
  ]);
  const needsSession = ['get_session', 'read_log', 'can_send'].includes(name);
  const reverse = name === 'read_log' && sim.random.chance(0.5) ? { reverse: true } : {};
  return ask(client, name, { ...(needsSession ? { session_id } : {}), ...reverse });
}

function pass(sim: Simulation, ms: number): string {
  sim.clock.advance(ms);
  sim.sweep();
  return `${ms} ms pass`;
}

function jump(sim: Simulation, sign: number): string {
  // Small changes are no jumps.
  const ms = sign * (1 + sim.random.below(sim.random.chance(0.2) ? 5_000 : 600_000));
  sim.setClock(ms);
  sim.sweep();
  return `the clock jumps by ${ms} ms`;
}

/** Sets the clock repeatedly while time passes: nothing due may be forgotten. */
async function astray(sim: Simulation): Promise<string> {
  const { random } = sim;
  const done: string[] = [];
  for (let i = 2 + random.below(4); i > 0; i--) {
    done.push(random.chance(0.5) ? jump(sim, random.pick([-1, 1])) : pass(sim, random.pick([1_000, 7_000, 31_000])));
    await sim.flow();
    sim.check();
  }
  return done.join(', ');
}

function evict(sim: Simulation): string {
  sim.evict();
  return 'evict';
}

async function crash(sim: Simulation, when: 'before' | 'in' | 'after'): Promise<string | false> {
  if (when !== 'after' && sim.store.stagedUnits() === 0) return false;
  const staged = sim.store.stagedUnits();
  if (when === 'after') sim.sync();
  await sim.crash(() => when === 'in' && sim.random.chance(0.6));
  return `crash ${when} the sync of ${staged}`;
}

async function restart(sim: Simulation): Promise<string | false> {
  if (sim.failed) return false;
  await sim.restart();
  return 'restart';
}

function failSync(sim: Simulation): string | false {
  if (sim.failed || sim.store.stagedUnits() === 0) return false;
  sim.failed = true;
  sim.store.failSync(new Error('no space left on device'), () => sim.random.chance(0.5));
  return 'the sync fails';
}

function conflict(sim: Simulation): string | false {
  if (sim.failed || sim.model.sessions.size === 0 || sim.store.conflict === undefined) return false;
  const session = sim.random.pick([...sim.model.sessions.keys()]);
  sim.store.conflict(session);
  return `a conflict waits in ${session}`;
}

/** Another writer appends, so staged units conflict. */
function foreign(sim: Simulation, what: 'note' | 'close'): string | false {
  if (sim.failed || sim.store.foreignAppend === undefined) return false;
  const active = [...sim.model.sessions].filter(([, { states }]) => states.at(-1)?.metadata.state === 'ACTIVE');
  // Another hub would end the tasks with the session, and settle its delegations, in one unit.
  const hasNothing = (state: SessionState | undefined): boolean =>
    state?.tasks.live.length === 0 && state.delegations.length === 0;
  const some = active.filter(([, { states }]) => what === 'note' || hasNothing(states.at(-1)));
  const [sessionId, session] = some.length === 0 ? [] : sim.random.pick(some);
  const before = session?.states.at(-1);
  if (sessionId === undefined || before === undefined) return false;
  const sender = before.metadata.participants.find(({ status }) => status === 'active');
  if (sender === undefined) return false;
  sim.sweeps.moved(sessionId);
  sim.store.foreignAppend(sessionId, {
    entries: [foreignEntry(sim, before, what === 'note' ? sender.agent_id : null)],
  });
  return `another writer ${what === 'note' ? 'posts' : 'closes'} in ${sessionId}`;
}

function foreignEntry(sim: Simulation, before: SessionState, senderId: string | null): Entry {
  const { session_id, head_seq, depth } = before.metadata;
  const stamp = nextStamp(sim.clock.now(), before.head.envelope_id, '0'.repeat(32));
  const envelope = {
    session_id,
    sender_id: senderId ?? 'hub',
    audience: null,
    event_type: senderId === null ? 'session.closing' : 'note.foreign',
    event_data: senderId === null ? { reason: 'closed_elsewhere' } : {},
    causation_id: null,
    task_id: null,
    traceparent: null,
    priority: 'normal' as const,
    idempotency_key: null,
    ttl_seconds: null,
    ...stamp,
    seq: head_seq + 1,
    depth,
  };
  return sim.entryAfter(before, envelope);
}

function expectedSeq(sim: Simulation, session: string): number {
  const head = sim.model.state(session)?.metadata.head_seq ?? 0;
  return sim.random.chance(0.6) ? head : head + 1;
}

function someIds(sim: Simulation): string[] {
  const ids = sim.clients.map(({ agentId }) => agentId).filter((id) => id !== null);
  const some = ids.filter(() => sim.random.chance(0.4));
  return some.length > 0 ? some : ['e'.repeat(32)];
}

function withBound(sim: Simulation, run: (client: SimClient) => string | false): string | false {
  const bound = sim.clients.filter(({ bound }) => bound);
  return bound.length === 0 ? false : run(sim.random.pick(bound));
}

/** A session the client is in, mostly one that has not ended. */
function withSession(sim: Simulation, run: (client: SimClient, session: string) => string | false): string | false {
  return withBound(sim, (client) => {
    const all = [...client.sessions];
    const live = all.filter((session) => isLive(sim, session));
    const choice = sim.random.chance(0.85) ? live : all;
    return choice.length === 0 ? false : run(client, sim.random.pick(choice));
  });
}

/** A session of several, mostly a live one of the client with room for more. */
function withSeveral(sim: Simulation, run: (client: SimClient, session: string) => string | false): string | false {
  const several = sim.clients
    .filter(({ bound }) => bound)
    .flatMap((client) => [...client.sessions].map((session) => ({ client, session })))
    .filter(({ session }) => sim.model.state(session)?.metadata.manifest.participants.max === null);
  const roomy = several.filter(
    ({ client, session }) =>
      sim.model.state(session)?.metadata.creator_id === client.agentId &&
      isLive(sim, session) &&
      hasAbsent(sim, session),
  );
  const choice = sim.random.chance(0.85) ? roomy : several;
  if (choice.length === 0) return false;
  const { client, session } = sim.random.pick(choice);
  return run(client, session);
}

function isLive(sim: Simulation, session: string): boolean {
  return !isTerminal(sim.model.state(session)?.metadata.state ?? 'CLOSED');
}

function hasAbsent(sim: Simulation, session: string): boolean {
  const members = sim.model.state(session)?.head.members ?? {};
  return sim.clients.some(({ agentId }) => agentId !== null && (members[agentId] ?? 'rejected') === 'rejected');
}

/** Any session. */
function withAny(sim: Simulation, run: (client: SimClient, session: string) => string | false): string | false {
  const all = [...sim.model.sessions.keys()];
  return all.length === 0 ? false : withBound(sim, (client) => run(client, sim.random.pick(all)));
}

function withInvite(sim: Simulation, run: (client: SimClient, session: string) => string | false): string | false {
  const invited = sim.clients.filter(({ bound, invites }) => bound && invites.size > 0);
  if (invited.length === 0) return false;
  const client = sim.random.pick(invited);
  const open = [...client.invites].filter((one) => isLive(sim, one));
  const session = sim.random.pick(open.length > 0 && sim.random.chance(0.8) ? open : [...client.invites]);
  if (sim.random.chance(0.8)) client.invites.delete(session);
  if (sim.model.state(session)?.metadata.state === 'ACTIVE') sim.count('late answer');
  return run(client, session);
}

function withArrived(
  sim: Simulation,
  run: (client: SimClient) => ReturnType<SimOperation['run']>,
): ReturnType<SimOperation['run']> {
  const some = sim.clients.filter(({ bound, arrived }) => bound && arrived.length > 0);
  return some.length === 0 ? false : run(sim.random.pick(some));
}
