// A joined agent holds a role of a governed run: it is called only for its turn, and its answer is the result.

import type { Session } from 'parley-hub/client';
import type { JsonObject } from 'parley-hub/core';
import { beforeEach, expect, it } from 'vitest';
import { CONFIG, resultOf } from '../../adapters/governed/governed-scene.ts';
import { Puppet, Stage } from '../stage.ts';

let stage: Stage;
let bob: Puppet;
let session: Session;

beforeEach(async () => {
  stage = await Stage.start();
  bob = new Puppet();
  const alice = await stage.client('alice');
  await stage.join('bob', bob.agent);
  const knobs = { config: CONFIG, roles: { dev: 'bob' } };
  session = await stage.done(alice.open('governed', { participants: ['bob'], knobs }));
  await say('run.initialized', { run_id: 'run_1' });
  await say('turn.assigned', { turn_id: 'turn_1', role: 'dev' });
  await stage.done(session.send('good luck!'));
  await stage.settle();
});

function say(event_type: string, event_data: JsonObject): Promise<unknown> {
  return stage.done(session.send({ event_type, event_data }));
}

async function dispatched(): Promise<void> {
  await say('turn.dispatched', { turn_id: 'turn_1', prompt: 'Build it.', context: 'There is a plan.' });
  await stage.until(() => bob.calls.length === 1, 'bob is called');
}

it('[GS14] is not called for other messages', () => {
  expect(bob.calls).toEqual([]);
});

it('[GS14] is called with prompt and context, and submits the JSON of its answer once', async () => {
  await dispatched();
  const { steps } = bob.call().ctx;
  expect(steps.map(({ content }) => content)).toEqual([
    '[alice]: run run_1 begins',
    '[alice]: turn turn_1 goes to dev',
    '[alice]: good luck!',
    'Build it.\n\n---\n\nThere is a plan.',
  ]);
  const result = resultOf({ turn_id: 'turn_1', assigned_role: 'dev', runtime_id: 'manual' } as never);
  bob.call().answer({ text: `Done.\n\`\`\`json\n${JSON.stringify(result)}\n\`\`\``, cost_usd: 0.1 });
  await stage.until(() => stage.told.some((line) => line.startsWith('bob said')), 'bob has answered');
  const last = (await stage.log(session)).at(-1);
  expect(last?.event_type).toBe('turn.result');
  expect(last?.event_data).toEqual({ turn_id: 'turn_1', attempt: 1, result, cost_usd: 0.1 });
  await stage.settle();
  expect(bob.calls).toHaveLength(1);
  expect(session.turn?.agent_id).not.toBe(last?.sender_id);
});

it('[GS14] submits its text if there is no JSON, for the runner to reject', async () => {
  await dispatched();
  bob.call().answer('I have no idea');
  await stage.until(() => stage.told.some((line) => line.startsWith('bob said')), 'bob has answered');
  expect((await stage.log(session)).at(-1)?.event_data.result).toBe('I have no idea');
  await say('turn.rejected', { turn_id: 'turn_1', reason: 'no result' });
  await say('turn.dispatched', { turn_id: 'turn_1', prompt: 'Once more.' });
  await stage.until(() => bob.calls.length === 2, 'bob is called again');
  bob.call(1).answer('{"status":"completed"}');
  await stage.settle();
  expect((await stage.log(session)).at(-1)?.event_data).toMatchObject({ attempt: 2, result: { status: 'completed' } });
});
