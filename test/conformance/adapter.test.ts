// The imports of the conformance adapter, and its answers to unknown input.

import { dirname, posix } from 'node:path';
import { expect, it } from 'vitest';
import { executeFixture } from '../../src/governed/conformance/adapter/execute.ts';
import { read } from '../package/repository.ts';
import { own } from './corpora.ts';

/** The public entry. */
const FACE = 'parley-hub/governed';

function importsOf(file: string): readonly string[] {
  const found = [...read(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name);
  return found.map((name) => (name.startsWith('.') ? posix.join(dirname(file), name) : name));
}

it('[GV18] the adapter imports parley-hub/governed, the inflation and the comparison, and nothing else', () => {
  const seen = new Set<string>();
  const waiting = ['src/governed/conformance/adapter/main.ts'];
  for (const file of waiting) {
    if (seen.has(file) || file === FACE || file.startsWith('node:')) continue;
    seen.add(file);
    waiting.push(...importsOf(file));
  }
  expect([...seen].sort()).toEqual(
    [
      ...[
        'books-operations',
        'coordinator-operations',
        'disk-operations',
        'execute',
        'inflate',
        'main',
        'run-operations',
        'workspace',
      ].map((name) => `src/governed/conformance/adapter/${name}.ts`),
      'src/governed/conformance/fixture.ts',
      'src/governed/conformance/match.ts',
    ].sort(),
  );
  expect(waiting).toContain(FACE);
});

/** Static value imports: dynamic imports load later, and types never. */
function loadedWith(file: string): readonly string[] {
  const code = read(file).replace(/^(?:import|export) type .*?;$/gms, '');
  const found = [...code.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)';/gm)].map(([, name = '']) => name);
  return found.map((name) => (name.startsWith('.') ? posix.join(dirname(file), name) : name));
}

it('[GV18] loads no hub, store or schemas, so that it starts fast', () => {
  const loaded = new Set(['src/governed/index.ts']);
  for (const file of loaded) if (file.endsWith('.ts')) for (const next of loadedWith(file)) loaded.add(next);
  expect(loaded).toContain('src/governed/runner/runner.ts');
  const heavy = /^src\/(hub|client|store\/(?!journal\/(?!journal\.))|server)|^(lmdb|zod|ws|xstate|pino)/;
  expect([...loaded].filter((file) => heavy.test(file))).toEqual([]);
});

it('[GV18] contains no rules: it knows no role, phase, decision or file', () => {
  for (const name of ['books-operations', 'execute', 'run-operations']) {
    expect(read(`src/governed/conformance/adapter/${name}.ts`)).not.toMatch(
      /planning|DEC-|fixture_id|review_only|\bexpected\b.*\?/,
    );
  }
});

const [fixture] = own;
const of = (change: object): unknown => ({ ...fixture, ...change });

it.each([
  ['is no object', 'a fixture'],
  ['has no input', of({ input: undefined })],
  ['has no operation', of({ input: { operation: ' ', args: {} } })],
  ['has no arguments', of({ input: { operation: 'assign_turn' } })],
  ['is of no tier', of({ tier: 4 })],
  ['has a setup that is not understood', of({ setup: { ...fixture?.setup, weather: 'fog' } })],
])('[GV18] a fixture that %s is an error', (_, given) => {
  expect(executeFixture(given)).toMatchObject({ status: 'error', actual: null });
});

it.each(['fly', 'constructor'])('[GV18] the operation %s is not implemented and does not pass', (operation) => {
  expect(executeFixture(of({ input: { operation, args: {} }, expected: {} }))).toMatchObject({
    status: 'not_implemented',
  });
});
