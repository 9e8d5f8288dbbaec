// Models in a real hub, over real sockets and HTTP: deltas to others, and aborted requests.

import { connect, createHub, type LocalHub } from 'parley-hub';
import { type AgentFn, createAnthropicAdapter, createLlmAdapter, joinHub } from 'parley-hub/participants';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anthropic, chat } from '../models/apis.ts';
import { type StubAnswer, StubModel, stall, stream } from '../models/stub-model.ts';

let hub: LocalHub;
let url: string;
let stub: StubModel;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  hub = await createHub();
  ({ url } = await hub.listen({ port: 0, auth: { none: true } }));
});
afterAll(() => hub.stop());
beforeEach(async () => {
  stub = await StubModel.start(() => 0);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await stub.stop();
});

let people = 0;
const named = (name: string): string => `${name}-${people}`;

async function joined(name: string, agent: AgentFn, options: { readonly tools?: true } = {}): Promise<void> {
  open.push(await joinHub((own) => connect(url, own), { name: named(name), agent, ...options }));
}

/** alice opens a session with bob and asks; `heard` are the deltas she receives. */
async function asks() {
  const heard: string[] = [];
  const alice = await connect(url, {
    name: named('alice'),
    onDelta: ({ text }) => {
      heard.push(text);
      stub.poke();
    },
  });
  open.push(alice);
  const session = await alice.open('consulting', [named('bob')]);
  await session.send('Well?');
  return { session, heard };
}

const llm = (): AgentFn => createLlmAdapter({ baseUrl: `${stub.origin}/v1`, model: 'm', maxRetries: 0 });

describe('a model in a hub', () => {
  beforeEach(() => {
    people += 1;
  });

  it.each([
    ['chat completions', chat, llm],
    ['Anthropic Messages', anthropic, () => createAnthropicAdapter({ baseUrl: stub.origin, apiKey: 'k', model: 'm' })],
  ])('[MT10] streams to the others before its call has ended, over %s', async (_name, api, agent) => {
    let end = (): void => {};
    const frames = api.says('First', ' second.');
    const cutAt = frames.findIndex((frame) => frame.includes('First')) + 1;
    const inTwo: StubAnswer = (response) => {
      stall(...frames.slice(0, cutAt))(response);
      end = () => void response.end(frames.slice(cutAt).join(''));
    };
    stub.will(inTwo);
    await joined('bob', agent());
    const { session, heard } = await asks();
    await stub.until(() => heard.length > 0);
    expect(heard.join('')).toBe('First');
    expect(stub.hungUp).toBe(0);
    end();
    const answer = await session.waitFor(({ event_data }) => event_data.text === 'First second.');
    expect(answer.event_type).toBe('msg.text');
  });

  const looks = stream(...chat.calls('peers', '{}'));
  it.each<[string, readonly StubAnswer[], number]>([
    ['its first request', [stall(...chat.says('Half').slice(0, 2))], 1],
    ['the request after a round of tools', [looks, stall(...chat.says('Half').slice(0, 2))], 2],
    ['a request without an answer so far', [looks, () => {}], 2],
  ])('[MT10] a closing session aborts %s', async (_name, answers, requests) => {
    stub.will(...answers);
    await joined('bob', llm(), { tools: true });
    const { session } = await asks();
    await stub.until(() => stub.asked.length === requests);
    await session.close('never mind');
    await stub.until(() => stub.hungUp === 1);
    expect(stub.asked).toHaveLength(requests);
  });

  it('[MT10] a closing session aborts the request of a delegate', async () => {
    const question = JSON.stringify({ to: named('carol'), question: 'Is it so?' });
    stub.will(stream(...chat.calls('delegate', question)), stall(...chat.says('Half').slice(0, 2)));
    await joined('carol', llm());
    await joined('bob', llm(), { tools: true });
    const { session } = await asks();
    await stub.until(() => stub.asked.length === 2);
    await session.close('never mind');
    await stub.until(() => stub.hungUp === 1);
    expect(stub.asked).toHaveLength(2);
  });
});
