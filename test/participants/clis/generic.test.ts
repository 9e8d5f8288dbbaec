// Any other program: text, one JSON value, or a line of JSON each.

import { describe, expect, it } from 'vitest';
import { type GenericOptions, genericRecord } from '../../../src/participants/clis/records/generic.ts';
import { type Line, replay } from './replay.ts';

const record = (options: Partial<GenericOptions> = {}): ReturnType<typeof genericRecord> =>
  genericRecord({ command: '/opt/bin/helper', ...options });

describe('[AC13] what it answers', () => {
  const pretty = JSON.stringify({ response: 'Hello', stats: {} }, null, 2).split('\n');
  const answers: readonly (readonly [string, Partial<GenericOptions>, readonly Line[], string, readonly string[]])[] = [
    ['text', {}, ['', 'Hello', '', 'there', ''], 'Hello\n\nthere', ['Hello', '\n', '\nthere', '\n']],
    ['JSON over several lines', { output: 'json' }, pretty, 'Hello', []],
    ['JSON with an error that says nothing', { output: 'json' }, [{ error: ' ', result: 'Hello' }], 'Hello', []],
    ['JSON that is a text', { output: 'json' }, ['"Hello"'], 'Hello', []],
    [
      'JSON, along a path',
      { output: 'json', answerAt: 'choices.0.text' },
      [{ choices: [{ text: 'Hello' }] }],
      'Hello',
      [],
    ],
    ['lines, the answer whole', { output: 'jsonl' }, [{ type: 'x' }, { result: 'Hello' }], 'Hello', ['Hello']],
    ['lines, in pieces', { output: 'jsonl' }, [{ delta: 'Hel' }, 'noise', { delta: 'lo' }], 'Hello', ['Hel', 'lo']],
    ['lines, in pieces and whole', { output: 'jsonl' }, [{ delta: 'Hel' }, { result: 'Hello' }], 'Hello', ['Hel']],
  ];
  it.each(answers)('%s', (_, options, lines, text, deltas) => {
    const replayed = replay(record(options), lines);
    expect(replayed.reply).toMatchObject({ text, cost_usd: null });
    expect(replayed.deltas).toEqual(deltas);
  });
});

describe('[AC4, AC5, AC13] what is no answer', () => {
  const failures: readonly (readonly [string, Partial<GenericOptions>, readonly Line[], object, string])[] = [
    ['an exit code', {}, ['Hello'], { exitCode: 7 }, 'non_zero_exit'],
    ['an exit code and no text', {}, [], { exitCode: 7, stderr: 'boom' }, 'non_zero_exit'],
    ['no text', {}, [' '], {}, 'no_result'],
    ['JSON that is cut', { output: 'json' }, ['{"result":"Hel'], {}, 'bad_output'],
    ['JSON without an answer', { output: 'json' }, [{ a: 1 }], {}, 'bad_output'],
    ['JSON that is cut, and an exit code', { output: 'json' }, ['{"result":"Hel'], { exitCode: 1 }, 'non_zero_exit'],
    ['JSON with a status', { output: 'json' }, [{ error: { message: 'no', status: 401 } }], {}, 'auth'],
    ['JSON with an error', { output: 'json' }, [{ error: 'overloaded' }], { exitCode: 1 }, 'overloaded'],
    [
      'a line with an error',
      { output: 'jsonl' },
      [{ delta: 'Hel' }, { error: { type: 'rate_limit_error' } }],
      {},
      'rate_limited',
    ],
    ['a line that is cut', { output: 'jsonl' }, [{ delta: 'Hel' }, '{"delta":"l'], {}, 'bad_output'],
    ['no JSON at all', { output: 'json' }, [], {}, 'no_result'],
  ];
  it.each(failures)('%s', (_, options, lines, ran, kind) => {
    expect(replay(record(options), lines, ran).error?.kind).toBe(kind);
  });
});

describe('[AC1, AC13] what it is called with', () => {
  const extra: readonly string[] = [];
  it.each([
    ['the prompt last', {}, { prompt: 'hi', extra }, ['hi']],
    ['the file last', { args: ['-q'] }, { promptFile: '/f', extra }, ['-q', '/f']],
    ['nothing on stdin', { args: ['-q'] }, { extra }, ['-q']],
    [
      'where it is wanted',
      { args: ['--ask={prompt}', '-m', '{model}'] },
      { prompt: '{file} $(x)', model: 'm', extra },
      ['--ask={file} $(x)', '-m', 'm'],
    ],
    ['left out when there is none', { args: ['-q', '{prompt}', '--m={model}'] }, { extra }, ['-q']],
  ] as const)('%s', (_, options, ask, args) => {
    expect(record(options).args(ask)).toEqual(args);
  });

  it('its name in errors is the last part of its path', () => {
    expect(record().tool).toBe('helper');
    expect(record({ tool: 'mine' }).tool).toBe('mine');
  });
});

describe('[AC5, AC13] output that cannot be read is told as that, with a little of it', () => {
  const messageOf = (...lines: readonly Line[]): string | undefined =>
    replay(record({ output: 'json' }), lines).error?.message;

  it('JSON that is cut, and JSON without an answer', () => {
    expect(messageOf('{"result":', '"Hel')).toBe('helper: its output is not JSON: {"result": "Hel');
    expect(messageOf({ a: 1 })).toBe('helper: its JSON has no answer: {"a":1}');
  });

  it('of much, only the beginning', () => {
    expect(messageOf('x'.repeat(5_000))).toBe(`helper: its output is not JSON: ${'x'.repeat(200)} …`);
  });
});
