// Fixtures of the role tests: a thread, a hand-written schema, scripted agents.

import type { JsonObject } from 'parley-hub/core';
import type { AgentFn, AgentReply, StandardSchema, ThreadContext, TurnOptions } from 'parley-hub/participants';

const timestamp = '2026-10-20T00:00:00.000Z';
export const ctx: ThreadContext = {
  threadId: 't1',
  start: { role: 'user', content: 'Is it good?', meta: {}, timestamp },
  steps: [],
};

export interface Verdict {
  readonly ok: boolean;
}

/** `{ok: boolean}`, hand-written and without JSON Schema. */
export const byHand: StandardSchema<Verdict> = {
  '~standard': {
    version: 1,
    vendor: 'hand',
    validate(value) {
      const { ok } = value as { readonly ok?: unknown };
      if (typeof ok === 'boolean') return { value: { ok } };
      return { issues: [{ message: `expected true or false, got ${JSON.stringify(ok)}`, path: ['ok'] }] };
    },
  },
};

export const okSchema: JsonObject = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};

export const meta = (json: string): string => `Well.\n\n\`\`\`json meta\n${json}\n\`\`\`\n`;

export interface Asked {
  readonly ctx: ThreadContext;
  readonly systemPrompt: string;
  readonly turn: TurnOptions | undefined;
}

/** Gives the answers in order and records its calls. */
export function scripted(...answers: readonly (string | AgentReply | Error)[]): { agent: AgentFn; asked: Asked[] } {
  const asked: Asked[] = [];
  const agent: AgentFn = async (given, systemPrompt, turn) => {
    const answer = answers[asked.length];
    asked.push({ ctx: given, systemPrompt, turn });
    if (answer === undefined) throw new Error('the script has no more answers');
    if (answer instanceof Error) throw answer;
    turn?.onDelta(typeof answer === 'string' ? answer : answer.text);
    return answer;
  };
  return { agent, asked };
}
