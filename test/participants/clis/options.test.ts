// Options of CLI agents are checked by name on creation, not at the first turn.

import { expect, it } from 'vitest';
import { cliFactories, createCliAdapter } from '../../../src/participants/clis/cli-agents.ts';

const ofAny: readonly (readonly [object, string | RegExp])[] = [
  [{ bogus: 1 }, /^bogus: expected a known option \(command, /],
  [{ args: 'x' }, 'args: expected a list of texts, got "x"'],
  [{ model: '-x' }, 'model: expected the name of a model, not beginning with -, got "-x"'],
  [{ cwd: 5 }, 'cwd: expected text, got 5'],
  [{ home: 5 }, 'home: expected text, got 5'],
  [{ env: { A: 5 } }, /^env: expected texts by names without =, got an object/],
  [{ passEnv: [5] }, 'passEnv: expected a list of texts, got an array of 1'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs: expected a number of milliseconds > 0, or null for no limit, got NaN'],
  [{ timeoutMs: -1 }, 'timeoutMs: expected a number of milliseconds > 0, or null for no limit, got -1'],
  [{ limits: { maxLineBytes: null } }, /^limits\.maxLineBytes: expected a whole number of bytes .* got null$/],
  [{ command: ' ' }, 'command: expected the name or path of a program, got " "'],
];

it.each<readonly [object, string | RegExp]>([
  ...ofAny,
  [{ command: undefined }, 'command: expected the name or path of a program, got nothing'],
  [{ transport: 'pigeon' }, 'transport: expected stdin, file or arg, got "pigeon"'],
  [{ output: 'xml' }, 'output: expected text, json or jsonl, got "xml"'],
  [{ answerAt: 5 }, 'answerAt: expected text, got 5'],
  [{ tool: 5 }, 'tool: expected text, got 5'],
  [{ permissions: 'full' }, /^permissions: expected a known option/],
])('[AC15] rejects a custom program with %o', (options, problem) => {
  const make = (): unknown => createCliAdapter({ command: '/bin/true', ...options });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(problem);
});

const ofCli: readonly (readonly [object, string | RegExp])[] = [
  ...ofAny,
  [{ permissions: 'nope' }, 'permissions: expected safe, write or full, got "nope"'],
  [{ resume: 'no' }, 'resume: expected true or false, got "no"'],
  [{ transport: 'arg' }, /^transport: expected a known option/],
];

it.each(ofCli)('[AC15] rejects every CLI with %o', (options, problem) => {
  for (const make of Object.values(cliFactories)) {
    expect(() => make(options)).toThrow(TypeError);
    expect(() => make(options)).toThrow(problem);
  }
});

it('[AC15] ignores undefined options, and accepts null as no limit', () => {
  const none = { model: undefined, args: undefined, timeoutMs: null, limits: { wallMs: undefined }, resume: undefined };
  for (const make of Object.values(cliFactories)) expect(typeof make(none)).toBe('function');
  expect(typeof createCliAdapter({ command: 'x', transport: undefined, output: undefined })).toBe('function');
});
