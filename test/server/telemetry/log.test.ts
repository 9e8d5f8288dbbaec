// What a hub tells whoever runs it: at which level, in which form, and never a secret.

import { existsSync } from 'node:fs';
import { createHub } from 'parley-hub';
import { expect, it } from 'vitest';
import { LOG_LEVELS } from '../../../src/server/telemetry/line-log.ts';
import { logLevelOf, logTo, redactCredentials } from '../../../src/server/telemetry/pino-log.ts';
import { up } from '../../../src/server/up.ts';
import { HttpHub } from '../http/http-hub.ts';

class Output {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }

  get lines(): string[] {
    return this.text.split('\n').filter((line) => line !== '');
  }
}

it('[MO5] it is one JSON object a line, with time, level, message and details', () => {
  const output = new Output();
  logTo(output).warn('it rains', { where: 'here' });
  expect(output.lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'warn', time: expect.stringMatching(/^\d{4}-.*Z$/), msg: 'it rains', where: 'here' },
  ]);
});

it('[MO5] on a terminal it is text', () => {
  const output = new Output(true);
  logTo(output).warn('it rains', { where: 'here' });
  expect(output.text).toMatch(/^\S+Z warn it rains \{"where":"here"\}\n$/);
});

it.each([true, false])('[MO5] drops messages below the level (terminal: %s)', (isTTY) => {
  for (const [at, level] of LOG_LEVELS.entries()) {
    const output = new Output(isTTY);
    const log = logTo(output, level);
    for (const one of ['debug', 'info', 'warn', 'error'] as const) log[one]?.(one);
    expect(output.lines).toHaveLength(4 - at);
  }
  expect(logLevelOf('warn')).toBe('warn');
  expect(() => logLevelOf('loud')).toThrow('--log-level: expected one of debug, info, warn, error, silent, got "loud"');
});

it('[MO5] a hub does not start with a level there is not', async () => {
  await expect(up({ data: 'nowhere', tell() {}, logLevel: 'loud' })).rejects.toMatchObject({ code: 'bad_options' });
  expect(existsSync('nowhere')).toBe(false);
});

it('[MO5] secrets are taken out wherever they are', async () => {
  const hub = await createHub();
  const { token, token_id } = await hub.createToken();
  await hub.stop();
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
  for (const isTTY of [true, false]) {
    const output = new Output(isTTY);
    logTo(output).error(`with ${token} and ${jwt}`, {
      deep: [{ auth: { scheme: 'token', token }, header: `Bearer opaque-thing` }],
      error: new Error(`bad ${token}`),
      password: 'pw-in-the-clear',
    });
    expect(output.text).toContain(`parley_${token_id}_[secret]`);
    for (const secret of [token, jwt, 'opaque-thing', 'pw-in-the-clear']) expect(output.text).not.toContain(secret);
  }
  expect(redactCredentials('Bearer a;b,c; then "Bearer d", Bearer e')).toBe(
    'Bearer [secret]; then "Bearer [secret]", Bearer [secret]',
  );
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(() => JSON.stringify(redactCredentials(circle))).not.toThrow();
});

it('[MO5] logs every HTTP request at debug, without its query and credential', async () => {
  const output = new Output();
  const http = await HttpHub.open({}, { log: logTo(output, 'debug') });
  const token = await http.member('alice');
  await http.get('/sessions?type=secret-plan', { token });
  await expect.poll(() => output.text).toContain('/api/v1/sessions');
  const last = JSON.parse(output.lines.at(-1) ?? '');
  expect(last).toMatchObject({ level: 'debug', msg: 'http', method: 'GET', path: '/api/v1/sessions', status: 200 });
  expect(output.text).not.toContain('secret-plan');
  expect(output.text).not.toContain(token);
});
