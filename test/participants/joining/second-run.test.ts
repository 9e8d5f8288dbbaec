// One accepted answer per turn: across lost links, hub restarts and a second run of the participant.

import type { AgentClient, Session } from 'parley-hub/client';
import type { Participant } from 'parley-hub/participants';
import { beforeEach, describe, expect, it } from 'vitest';
import { Puppet, Stage } from '../stage.ts';

let stage: Stage;
let alice: AgentClient;
let first: Puppet;
let second: Puppet;
beforeEach(async () => {
  stage = await Stage.start();
  alice = await stage.client('alice');
  first = new Puppet();
  second = new Puppet();
});

/** alice has written to bob, whose first run is called. */
async function asked(type: string): Promise<{ session: Session; run: Participant }> {
  const run = await stage.join('bob', first.agent, { graceMs: 1 });
  const session = await stage.done(alice.open(type, ['bob']));
  await stage.done(session.send('why?'));
  await stage.until(() => first.calls.length === 1, 'bob is called');
  // Makes the turn older than the second run.
  await stage.world.pass(1_000);
  return { session, run };
}

async function passing(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    stage.world.clock.advance(50);
    await stage.world.settle();
  }
}

const TYPES = ['consulting', 'discussion', 'conversation'];

describe.each(TYPES)('in a %s', (type) => {
  it('[PA12] a second run gets the open turn, as resumed and under the same key', async () => {
    const { session, run } = await asked(type);
    // The first run dies silently.
    run.client.close();
    await stage.join('bob', second.agent);
    await stage.until(() => second.calls.length === 1, 'the second run is called');
    expect(second.call().turn.resumed).toBe(true);
    expect(second.call().turn.idempotencyKey).toBe(first.call().turn.idempotencyKey);
    second.call().answer('because');
    first.call().answer('too late');
    await stage.until(() => stage.told.includes('bob said because'), 'the answer');
    await stage.settle();
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
    expect(second.calls).toHaveLength(1);
  });

  it('[PA12] a turn the first run answered is not taken again, even if it died before the ack', async () => {
    const { session, run } = await asked(type);
    const posted = run.client.session(session.id);
    const question = (await stage.log(session)).findLast((one) => one.event_data.text === 'why?');
    const causation = question === undefined ? {} : { causationId: question.envelope_id };
    await stage.done(posted.send('because', { key: first.call().turn.idempotencyKey, ...causation }));
    run.client.close();
    await stage.join('bob', second.agent);
    await stage.settle();
    expect(second.calls).toHaveLength(0);
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
  });

  it('[PA13] continues the turn over a lost link and answers once', async () => {
    const links: { close(): void }[] = [];
    const way = stage.way.bind(stage);
    stage.way = (options) =>
      way({
        ...options,
        link: () => {
          const link = stage.world.hub.connect();
          links.push(link);
          return link;
        },
      });
    const { session } = await asked(type);
    links.at(-1)?.close();
    await passing(200);
    expect(links).toHaveLength(2);
    expect(first.calls).toHaveLength(1);
    expect(first.call().turn.signal.aborted).toBe(false);
    links.at(-1)?.close();
    first.call().answer('because');
    await passing(500);
    await stage.until(() => stage.told.includes('bob said because'), 'the answer');
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
    expect(first.calls).toHaveLength(1);
  });

  it('[PA13] continues the turn over a hub restart and answers once', async () => {
    const { session } = await asked(type);
    await stage.world.restart();
    await passing(500);
    expect(first.call().turn.signal.aborted).toBe(false);
    first.call().answer('because');
    await passing(500);
    await stage.until(() => stage.told.includes('bob said because'), 'the answer');
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
    expect(first.calls).toHaveLength(1);
  });

  it('[PA14] closing cancels the turn and leaves it for the next run; idempotent', async () => {
    const { session, run } = await asked(type);
    const closing = run.close();
    expect(first.call().turn.signal.aborted).toBe(true);
    first.call().fail(first.call().turn.signal.reason);
    await stage.done(closing);
    await stage.done(run.close());
    expect(run.client.state).toBe('closed');
    expect(stage.told.filter((line) => line.includes('failed'))).toEqual([]);
    await stage.join('bob', second.agent);
    await stage.until(() => second.calls.length === 1, 'the second run is called');
    second.call().answer('because');
    await stage.until(() => stage.told.includes('bob said because'), 'the answer');
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
  });

  it('[PA14] closing with `finish` waits for the answer and takes no more turns', async () => {
    const { session, run } = await asked(type);
    const closing = run.close({ finish: true });
    await stage.settle();
    expect(first.call().turn.signal.aborted).toBe(false);
    first.call().answer('because');
    await stage.done(closing);
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
  });
});

describe('ending', () => {
  it('[PA14] gives up an agent that ignores its signal', async () => {
    const { run } = await asked('consulting');
    const closing = run.close();
    await stage.settle();
    expect(run.client.state).toBe('open');
    stage.world.clock.advance(10);
    await stage.done(closing);
    expect(run.client.state).toBe('closed');
  });

  it('[PA14] offers a cancelled turn again, even if another took longer to end', async () => {
    const { session, run } = await asked('conversation');
    const other = await stage.done(alice.open('conversation', ['bob']));
    await stage.done(other.send('and why?'));
    await stage.until(() => first.calls.length === 2, 'both turns');
    const closing = run.close();
    first.call(0).fail(new Error('aborted'));
    await stage.settle();
    first.call(1).fail(new Error('aborted'));
    await stage.done(closing);
    await stage.join('bob', second.agent);
    await stage.until(() => second.calls.length === 2, 'both turns again');
    expect(second.calls.map(({ ctx }) => ctx.threadId).sort()).toEqual([session.id, other.id].sort());
  });

  it('[PA14] leaving cancels the turn and leaves the sessions for good', async () => {
    const { session, run } = await asked('discussion');
    const leaving = run.leave();
    first.call().fail(new Error('aborted'));
    await stage.done(leaving);
    await stage.done(run.leave());
    const { session: metadata } = await stage.done(session.info());
    expect(metadata.participants.find(({ name }) => name === 'bob')?.status).toBe('removed');
  });

  it('[PA4, PA14] a replaced client cancels its turns', async () => {
    const { run } = await asked('consulting');
    await stage.client('bob');
    await stage.done(run.closed);
    expect(first.call().turn.signal.aborted).toBe(true);
  });

  it('[PA12] the next run retries a failed turn', async () => {
    const { session, run } = await asked('consulting');
    first.call().fail(new Error('no such model'));
    await stage.until(() => stage.told.includes('bob failed: no such model'), 'the failure');
    await stage.settle();
    expect(first.calls).toHaveLength(1);
    await stage.done(run.close());
    await stage.join('bob', second.agent);
    await stage.until(() => second.calls.length === 1, 'the second run is called');
    expect(second.call().turn.resumed).toBe(true);
    second.call().answer('because');
    await stage.done(session.ended());
    expect(await stage.texts(session)).toEqual(['why?', 'because']);
  });

  it('[PA12] of two concurrent runs one is replaced, and there is one answer', async () => {
    const { session } = await asked('consulting');
    await stage.join('bob', second.agent);
    await stage.until(() => second.calls.length === 1, 'the second run is called');
    first.call().answer('one');
    second.call().answer('two');
    await stage.done(session.ended());
    expect(await stage.texts(session)).toEqual(['why?', 'two']);
  });
});
