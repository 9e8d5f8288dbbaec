// What the errors of agents say, and what they hide.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AgentError, isAgentError, nonZeroExit } from '../../../src/participants/agent/agent-error.ts';
import { findSecrets, redactSecrets } from '../../../src/participants/lib/redact-secrets.ts';
import { runProgram } from '../../../src/participants/processes/run-program.ts';
import { failureOf, Programs } from './programs.ts';

it('[RN15] names the tool, the exit code and both streams on one line', () => {
  const details = { tool: 'cursor-agent', exitCode: 7, stdout: 'half\n\ta line', stderr: 'no\u0007 trust\r\n' };
  const error = nonZeroExit(details);
  expect(error.message).toBe('cursor-agent: exitCode=7 stdout=half a line stderr=no trust');
  expect(error.kind).toBe('non_zero_exit');
  expect(error.details).toEqual(details);
});

it('[RN15] limits the length, keeping the ends', () => {
  fc.assert(
    fc.property(fc.nat(40_000), fc.nat(40_000), fc.constantFrom('x', '😀', '\n', 'a b'), (out, err, unit) => {
      const stdout = `${unit.repeat(out)}END`;
      const error = nonZeroExit({ tool: 'fake', exitCode: 1, stdout, stderr: unit.repeat(err), partial: stdout });
      expect(error.message.length).toBeLessThanOrEqual(2_000);
      expect(error.message).toContain('END');
      expect(error.details.stdout?.length).toBeLessThanOrEqual(8_192);
      expect(error.details.stdout?.endsWith('END')).toBe(true);
      expect(error.details.stderr?.length).toBeLessThanOrEqual(8_192);
      expect(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(error.message)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

it.each([
  ['HTTP 401 invalid_api_key: Incorrect API key provided: sk-abcdef0123456789', 'Incorrect API key provided: [secret]'],
  ['invalid_api_key: hunter2 is no key', 'invalid_api_key: [secret] is no key'],
  ['invalid_api_key: hunter', 'invalid_api_key: [secret]'],
  ['invalid_api_key="Incorrect horse"', 'invalid_api_key="[secret] horse"'],
  ['api_key: correct horse', 'api_key: [secret] horse'],
])('[RN15] keeps a sentence after an error code about a key, but redacts a value: %s', (text, shown) => {
  expect(redactSecrets(text)).toContain(shown);
});

it.each([
  ['a key of Anthropic', 'key sk-ant-api03-abcdefghijklmnop rejected', 'key [secret] rejected'],
  ['a key of Google', 'AIzaSyA1234567890abcdefghijk', '[secret]'],
  ['a token of GitHub', 'ghp_abcdefghijklmnopqrst', '[secret]'],
  ['a bearer', 'Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [secret]'],
  ['a JWT', 'eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2lnbmF0dXJl', '[secret]'],
  ['a token of a hub', `parley_0123456789abcdef_${'A'.repeat(43)}`, 'parley_0123456789abcdef_[secret]'],
  ['a named value', 'A_API_KEY=test-key, x-api-key: "other"', 'A_API_KEY=[secret], x-api-key: "[secret]"'],
  ['a member of JSON', '{"password":"hunter22","user":"ada"}', '{"password":"[secret]","user":"ada"}'],
  ['a password in an address', 'https://ada:hunter22@host/x', 'https://ada:[secret]@host/x'],
  ['nothing secret', 'the key: tokens=12, see https://host:80/x@y', 'the key: tokens=12, see https://host:80/x@y'],
])('[RN15] redacts %s, and only that', (_, text, shown) => {
  expect(redactSecrets(text)).toBe(shown);
});

it('[RN15] redacts values of variables with secret names anywhere', () => {
  const named = { STUB_KEY: 'zebra-42', MY_TOKEN: 'zebra-42-long' };
  const secrets = findSecrets({ ...named, AUTH: 'yes', PATH: '/usr/bin', KEYBOARD: 'qwertz' });
  expect(secrets).toEqual(['zebra-42-long', 'zebra-42']);
  const details = { tool: 'fake', exitCode: 1, stdout: 'zebra-42-long', stderr: 'zebra-42!', partial: 'a zebra-42' };
  const error = nonZeroExit(details, { secrets });
  expect(error.message).toBe('fake: exitCode=1 stdout=[secret] stderr=[secret]!');
  expect(JSON.stringify(error.details)).not.toContain('zebra');
});

it('[RN15] never shows half a secret where a stream is truncated', () => {
  const secrets = ['zebra-'.repeat(10)];
  for (let at = 8_100; at < 8_200; at += 1) {
    const details = { tool: 'fake', exitCode: 1, stdout: `${secrets[0]}${'x'.repeat(at)}`, stderr: '' };
    const error = nonZeroExit(details, { secrets });
    expect(error.details.stdout).not.toContain('zebra');
  }
});

it('[RN15] redacts in linear time', () => {
  // Texts that would make a pattern with two ways to match run forever.
  for (const unit of ['a', 'a-', 'a_', 'api_key', 'Bearer ', '://a:', 'eyJaaaa.', '"', ' ', 'sk-']) {
    expect(redactSecrets(unit.repeat(200_000)).length).toBeGreaterThan(0);
  }
}, 20_000);

it('[RN15] hides a secret that the program itself prints', async () => {
  const programs = new Programs();
  const env = { STUB_KEY: 'zebra-42' };
  const program = programs.sh('echo "using $STUB_KEY"; echo "bad $STUB_KEY" >&2; sleep 60', { env });
  const error = await failureOf(runProgram(program, {}, { idleMs: 50 }));
  expect(`${error.message} ${JSON.stringify(error.details)} ${error.stack}`).not.toContain('zebra');
  expect(error.details.stdout).toBe('using [secret]\n');
  expect(programs.left()).toEqual([]);
  programs.remove();
});

it('[RN15] recognizes errors of another copy of the package, and nothing else', () => {
  const copy = Object.assign(new Error('x'), { name: 'AgentError', kind: 'timeout', details: { tool: 'x' } });
  expect(isAgentError(copy)).toBe(true);
  expect(isAgentError(new AgentError('auth', 'no key', { tool: 'x' }))).toBe(true);
  expect(isAgentError(Object.assign(new Error('x'), { name: 'AgentError', kind: 'toString' }))).toBe(false);
  expect(isAgentError({ name: 'AgentError', kind: 'timeout' })).toBe(false);
});
