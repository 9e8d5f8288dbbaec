// Each real CLI through its agent function: answers, resumes its conversation, and ends with its processes.

import {
  type AgentReply,
  isAgentError,
  type Step,
  type ThreadContext,
  type TurnOptions,
} from 'parley-hub/participants';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AdapterAgent, adapterAgent, replyOf } from './adapter-agent.ts';
import { processesOf } from './processes-of.ts';
import { AGENTS, type AgentName } from './recipes.ts';
import { type Answer, type Question, SpeakingModel } from './speaking-model.ts';
import { COUNTED } from './speech.ts';

const SYSTEM = 'You are a careful reviewer.';
const FIRST = 'It is ready, but for the notes.';
const SECOND = 'Then it can go out on Thursday.';
/** Long enough to call the model, even on a busy machine. */
const BOUND_MS = { claude: 10_000, codex: 10_000, gemini: 30_000, opencode: 30_000 } as const;

let model: SpeakingModel;
let isHolding = false;
let isRefusing = false;
const opened: AdapterAgent[] = [];
beforeAll(async () => {
  const speaker = ({ before }: Question): Answer => {
    return { text: before.length === 0 ? FIRST : SECOND, hold: isHolding, refuse: isRefusing };
  };
  model = await SpeakingModel.start(speaker);
});
afterEach(async () => {
  isHolding = false;
  isRefusing = false;
  for (const { tool } of opened.splice(0)) await tool.close();
});
afterAll(async () => {
  console.log(`the model was asked:\n${model.summary()}`);
  await model.close();
});

async function open(...args: Parameters<typeof adapterAgent>): Promise<AdapterAgent> {
  const one = await adapterAgent(...args);
  opened.push(one);
  return one;
}

function said(role: string, content: string, second: number): Step {
  return { role, content, meta: {}, timestamp: `2026-01-01T00:00:0${second}.000Z` };
}

const QUESTION = said('user', 'Is it ready?', 1);
const MORE = said('user', 'The notes are written.', 3);
const ONCE: ThreadContext = { threadId: 'one', start: QUESTION, steps: [QUESTION] };
const TWICE: ThreadContext = { ...ONCE, steps: [QUESTION, said('assistant', FIRST, 2), MORE] };

interface Watched extends TurnOptions {
  readonly pieces: string[];
  end(): void;
}

function watched(nativeSessionId?: string): Watched {
  const control = new AbortController();
  const pieces: string[] = [];
  return {
    signal: control.signal,
    idempotencyKey: 'one:1',
    resumed: false,
    pieces,
    ...(nativeSessionId === undefined ? {} : { nativeSessionId }),
    onDelta: (text) => void pieces.push(text),
    onProgress: () => {},
    end: () => control.abort(new Error('the session was closed')),
  };
}

/** Usage of one turn. Gemini counts thoughts only in the total; claude gets none reported. */
function expectUsage(name: AgentName, { usage, meta }: AgentReply): void {
  const { input, cached, output, thoughts } = COUNTED;
  expect(usage).toMatchObject({
    input_tokens: input - cached,
    cache_read_tokens: cached,
    output_tokens: name === 'gemini' ? output - thoughts : output,
    reasoning_tokens: { claude: 0, codex: thoughts, gemini: null, opencode: thoughts }[name],
  });
  if (name === 'gemini') expect(meta).toMatchObject({ total_tokens: input + output });
}

describe.each(AGENTS)('%s', (name) => {
  it('answers a turn and resumes its conversation at the next', async () => {
    const { tool, agent } = await open(name, model.url);
    const version = (await tool.version()).out.trim();
    const first = watched();
    const answer = replyOf(await agent(ONCE, SYSTEM, first));
    const next = watched(answer.native_session_id);
    const second = replyOf(await agent(TWICE, SYSTEM, next));
    console.log(`${name} ${version}: ${JSON.stringify([answer, second])}`);
    expect([answer.text, second.text]).toEqual([FIRST, SECOND]);
    expect([first.pieces.join(''), next.pieces.join('')]).toEqual([FIRST, SECOND]);
    expect(answer.native_session_id).toMatch(/./);
    expect(second.native_session_id).toBe(answer.native_session_id);
    expectUsage(name, answer);
    expectUsage(name, second);
    const [asked, askedAgain, ...more] = model.of(name);
    expect(more).toEqual([]);
    expect(asked).toMatchObject({ prompt: expect.stringContaining('Is it ready?'), before: [] });
    expect(asked?.prompt).toContain(SYSTEM);
    // Its conversation has the first turn, so the prompt has only new text.
    expect(askedAgain).toMatchObject({ prompt: expect.stringContaining('The notes are written.'), before: [FIRST] });
    expect(askedAgain?.prompt).not.toContain('Is it ready?');
    expect(processesOf(tool.home)).toEqual([]);
  });

  it('ends when its turn is cancelled while the model answers', async () => {
    const { tool, agent } = await open(name, model.url);
    isHolding = true;
    const before = model.of(name).length;
    const turn = watched();
    const answer = agent(ONCE, SYSTEM, turn).catch((error: unknown) => error);
    await model.asked(name, before + 1);
    expect(processesOf(tool.home)).not.toEqual([]);
    turn.end();
    const error = await answer;
    expect(processesOf(tool.home)).toEqual([]);
    expect(isAgentError(error) && error.kind).toBe('aborted');
    expect(String(error)).toContain(`${name}: `);
  });

  it('ends at its timeout', async () => {
    const { tool, agent } = await open(name, model.url, { timeoutMs: BOUND_MS[name] });
    isHolding = true;
    const before = model.of(name).length;
    const answer = agent(ONCE, SYSTEM, watched()).catch((error: unknown) => error);
    await model.asked(name, before + 1);
    expect(processesOf(tool.home)).not.toEqual([]);
    const error = await answer;
    expect(processesOf(tool.home)).toEqual([]);
    expect(isAgentError(error) && error.kind).toBe('timeout');
    console.log(`${name}: ${String(error)}`);
  });

  it('reports a rejected key', async () => {
    const { tool, agent } = await open(name, model.url);
    isRefusing = true;
    const before = model.of(name).length;
    const error = await agent(ONCE, SYSTEM, watched()).catch((thrown: unknown) => thrown);
    console.log(`${name}: ${String(error).slice(0, 200)}`);
    expect(isAgentError(error) && error.kind).toBe('auth');
    expect(processesOf(tool.home)).toEqual([]);
    // Without the adapter it would retry four times.
    if (name === 'claude') expect(model.of(name)).toHaveLength(before + 1);
  });
});
