// Any other program: text, one JSON value, or JSON lines.

import { describe, expect, it } from 'vitest';
import { type GenericOptions, genericRecord } from '../../../src/participants/clis/records/generic.ts';
import { type Line, replay } from './replay.ts';

const record = (options: Partial<GenericOptions> = {}): ReturnType<typeof genericRecord> =>
  genericRecord({ command: '/opt/bin/helper', ...options });

describe('[AC13] answers', () => {
  const pretty = JSON.stringify({ response: 'Hello', stats: {} }, null, 2).split('\n');
  const answers: readonly (readonly [string, Partial<GenericOptions>, readonly Line[], string, readonly string[]])[] = [
    ['text', {}, ['', 'Hello', '', 'there', ''], 'Hello\n\nthere', ['Hello', '\n', '\nthere', '\n']],
    ['JSON over several lines', { output: 'json' }, pretty, 'Hello', []],
    ['JSON with a blank error', { output: 'json' }, [{ error: ' ', result: 'Hello' }], 'Hello', []],
    ['JSON that is a text', { output: 'json' }, ['"Hello"'], 'Hello', []],
    ['JSON, at a path', { output: 'json', answerAt: 'x.0.text' }, [{ x: [{ text: 'Hello' }] }], 'Hello', []],
    ['lines with a whole answer', { output: 'jsonl' }, [{ type: 'x' }, { result: 'Hello' }], 'Hello', ['Hello']],
    ['lines with deltas', { output: 'jsonl' }, [{ delta: 'Hel' }, 'noise', { delta: 'lo' }], 'Hello', ['Hel', 'lo']],
    [
      'lines with deltas and a whole answer',
      { output: 'jsonl' },
      [{ delta: 'Hel' }, { result: 'Hello' }],
      'Hello',
      ['Hel'],
    ],
  ];
  it.each(answers)('%s', (_, options, lines, text, deltas) => {
    const replayed = replay(record(options), lines);
    expect(replayed.reply).toMatchObject({ text, cost_usd: null });
    expect(replayed.deltas).toEqual(deltas);
  });
});

describe('[AC4, AC5, AC13] failures', () => {
  const failures: readonly (readonly [string, Partial<GenericOptions>, readonly Line[], object, string])[] = [
    ['an exit code', {}, ['Hello'], { exitCode: 7 }, 'non_zero_exit'],
    ['an exit code and no text', {}, [], { exitCode: 7, stderr: 'boom' }, 'non_zero_exit'],
    ['no text', {}, [' '], {}, 'no_result'],
    ['truncated JSON', { output: 'json' }, ['{"result":"Hel'], {}, 'bad_output'],
    ['JSON without an answer', { output: 'json' }, [{ a: 1 }], {}, 'bad_output'],
    ['truncated JSON and an exit code', { output: 'json' }, ['{"result":"Hel'], { exitCode: 1 }, 'non_zero_exit'],
    ['JSON with a status', { output: 'json' }, [{ error: { message: 'no', status: 401 } }], {}, 'auth'],
    ['JSON with an error', { output: 'json' }, [{ error: 'overloaded' }], { exitCode: 1 }, 'overloaded'],
    [
      'an error line',
      { output: 'jsonl' },
      [{ delta: 'Hel' }, { error: { type: 'rate_limit_error' } }],
      {},
      'rate_limited',
    ],
    ['a truncated line', { output: 'jsonl' }, [{ delta: 'Hel' }, '{"delta":"l'], {}, 'bad_output'],
    ['no JSON at all', { output: 'json' }, [], {}, 'no_result'],
  ];
  it.each(failures)('%s', (_, options, lines, ran, kind) => {
    expect(replay(record(options), lines, ran).error?.kind).toBe(kind);
  });
});

describe('[AC1, AC13] arguments', () => {
  const extra: readonly string[] = [];
  it.each([
    ['the prompt last', {}, { prompt: 'hi', extra }, ['hi']],
    ['the file last', { args: ['-q'] }, { promptFile: '/f', extra }, ['-q', '/f']],
    ['nothing on stdin', { args: ['-q'] }, { extra }, ['-q']],
    [
      'placeholders',
      { args: ['--ask={prompt}', '-m', '{model}'] },
      { prompt: '{file} $(x)', model: 'm', extra },
      ['--ask={file} $(x)', '-m', 'm'],
    ],
    ['a placeholder without a value', { args: ['-q', '{prompt}', '--m={model}'] }, { extra }, ['-q']],
  ] as const)('%s', (_, options, ask, args) => {
    expect(record(options).args(ask)).toEqual(args);
  });

  it('uses the last part of the path as name in errors', () => {
    expect(record().tool).toBe('helper');
    expect(record({ tool: 'mine' }).tool).toBe('mine');
  });
});

describe('[AC5, AC13] quotes a part of unreadable output', () => {
  const messageOf = (...lines: readonly Line[]) => replay(record({ output: 'json' }), lines).error?.message;

  it('truncated JSON, and JSON without an answer', () => {
    expect(messageOf('{"result":', '"Hel')).toBe('helper: its output is not JSON: {"result": "Hel');
    expect(messageOf({ a: 1 })).toBe('helper: its JSON has no answer: {"a":1}');
  });

  it('only the beginning of long output', () => {
    expect(messageOf('x'.repeat(5_000))).toBe(`helper: its output is not JSON: ${'x'.repeat(200)} …`);
  });
});
