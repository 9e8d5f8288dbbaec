// Readers accept any output without failing, and report only text the program wrote.

import fc from 'fast-check';
import { expect } from 'vitest';
import type { CliOutput } from '../../../src/participants/clis/output/cli-output.ts';
import { aider } from '../../../src/participants/clis/records/aider.ts';
import { claude } from '../../../src/participants/clis/records/claude.ts';
import type { CliRecord } from '../../../src/participants/clis/records/cli-record.ts';
import { codex } from '../../../src/participants/clis/records/codex.ts';
import { cursor } from '../../../src/participants/clis/records/cursor.ts';
import { gemini } from '../../../src/participants/clis/records/gemini.ts';
import { genericRecord } from '../../../src/participants/clis/records/generic.ts';
import { goose } from '../../../src/participants/clis/records/goose.ts';
import { hermes } from '../../../src/participants/clis/records/hermes.ts';
import { opencode } from '../../../src/participants/clis/records/opencode.ts';
import { itDeep } from '../../support/size.ts';
import { replay } from './replay.ts';

const generic = (output: 'text' | 'json' | 'jsonl'): Case => caseOf(genericRecord({ command: 'helper', output }));
const cases: readonly Case[] = [
  caseOf(claude),
  caseOf(codex),
  caseOf(gemini),
  caseOf(opencode),
  caseOf(cursor),
  caseOf(hermes),
  caseOf(aider),
  caseOf(goose),
  generic('text'),
  generic('json'),
  generic('jsonl'),
];

interface Case {
  readonly name: string;
  replay(lines: readonly string[], ran: object): ReturnType<typeof replay>;
}

function caseOf<State extends CliOutput>(record: CliRecord<State>): Case {
  return { name: `${record.tool} (${record.output})`, replay: (lines, ran) => replay(record, lines, ran) };
}

const keys = [
  'type', 'subtype', 'role', 'message', 'content', 'text', 'result', 'is_error', 'error', 'errors', 'usage', 'item', 'id', 'part',
  'event', 'delta', 'session_id', 'sessionID', 'thread_id', 'tokens', 'cache', 'reason', 'status', 'stats', 'models', 'cost', 'data',
  'total_cost_usd', 'input_tokens', 'output_tokens', 'permission_denials', 'tool_call', '__proto__', 'constructor', 'toolCall', 'value',
]; // biome-ignore format: a list
const words = [
  'system', 'init', 'assistant', 'result', 'success', 'stream_event', 'content_block_delta', 'text_delta', 'message_start', 'api_retry',
  'thread.started', 'item.completed', 'item.updated', 'agent_message', 'turn.completed', 'turn.failed', 'error', 'message', 'tool_use',
  'step_start', 'step_finish', 'text', 'stop', 'tool-calls', 'complete', 'tool_call', 'started', 'toolRequest', 'user',
]; // biome-ignore format: a list

const leaf = fc.oneof(
  fc.constantFrom(...words),
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.letrec<{ readonly node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('node'), { maxKeys: 6 }),
  ),
})).node;
const event = fc.record({
  type: fc.constantFrom(...words),
  rest: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 6 }),
});
const line = fc.oneof(
  event.map(({ type, rest }) => JSON.stringify({ ...rest, type })),
  value.map((any) => JSON.stringify(any)),
  fc.string(),
  fc.constantFrom('Tokens: 1.2k sent, 3 received.', 'session_id: x', '{"type":"result"', '', 'litellm.XError: 429'),
);
const ran = fc.record({
  exitCode: fc.constantFrom(0, 0, 1, 41, 143, null),
  signal: fc.constantFrom(null, null, 'SIGTERM'),
  stderr: fc.oneof(fc.constant(''), fc.string()),
});

itDeep.each(cases)('[AC8] accepts any output and reports only what was written: $name', (tool) => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat(200), ran, (lines, cut, end) => {
      const whole = lines.join('\n');
      const pieces = whole.slice(0, Math.max(0, whole.length - (cut > 100 ? cut - 100 : 0))).split('\n');
      // Throws anything but an AgentError.
      const { deltas, reply, error } = tool.replay(pieces, end);
      const written = pieces.flatMap((piece) => [piece, ...textsIn(piece)]).join('\n');
      for (const delta of deltas) expect(isWritten(delta, written)).toBe(true);
      if (reply !== null) expect(isWritten(reply.text, written) || deltas.join('').includes(reply.text)).toBe(true);
      expect(reply === null).toBe(error !== null);
      if (reply !== null) expect(reply.text.trim()).not.toBe('');
    }),
    { numRuns: 1_000 },
  );
});

/** Only separators may be added. */
function isWritten(text: string, written: string): boolean {
  return written.includes(text.replace(/^\n{1,2}/, ''));
}

/** Every text in a line of JSON. */
function textsIn(piece: string): readonly string[] {
  const found: string[] = [];
  try {
    JSON.parse(piece, (_, any: unknown) => {
      if (typeof any === 'string') found.push(any);
      return any;
    });
  } catch {
    // Not JSON: only the line itself counts.
  }
  return found;
}
