// A service does the turn: one POST to a real server, time in virtual minutes.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunAdapterOptions } from '../../../src/governed/index.ts';
import { VirtualClock } from '../../participants/models/scene.ts';
import { reset, type StubAnswer, StubModel, silence, stall, status } from '../../participants/models/stub-model.ts';
import { BUNDLE, KEPT, Scene, SECRET, TURN } from './scene.ts';

let scene: Scene;
let stub: StubModel;
let clock: VirtualClock;
beforeEach(async () => {
  scene = new Scene();
  clock = new VirtualClock();
  stub = await StubModel.start(() => clock.monotonic());
});
afterEach(async () => {
  await stub.stop();
  scene.remove();
});

async function out(answer: StubAnswer, more: object = {}): Promise<void> {
  stub.will(answer);
  await scene.dispatched({ type: 'remote_agent', url: `${stub.origin}/turn?code=${SECRET}-q`, ...more });
}

const options = (more: RunAdapterOptions = {}): RunAdapterOptions => ({ clock, ...more });

describe('[GA11] remote_agent', () => {
  it.each([
    [400, 'invalid_request', 'permanent'],
    [401, 'auth_failure', 'permanent'],
    [403, 'auth_failure', 'permanent'],
    [404, 'invalid_request', 'permanent'],
    [307, 'redirected', 'permanent'],
    [429, 'rate_limited', 'transient'],
    [500, 'unknown_api_error', 'transient'],
    [503, 'provider_overloaded', 'transient'],
  ])('HTTP %i is %s, and is not tried again', async (code, error_class, category) => {
    await out(status(code, 'because', { location: `${stub.origin}/elsewhere` }));
    const failure = await scene.fails(options());
    expect(failure).toMatchObject({ error_class, category, blocked: category === 'permanent', http_status: code });
    expect(failure.detail).toContain('because');
    expect(stub.asked.map(({ path }) => path.replace(/\?.*/, ''))).toEqual(['/turn']);
  });

  it.each([
    ['no JSON', 'I have done it.', 'response_parse_failure'],
    ['half of it', '{"schema_version": "1.', 'response_parse_failure'],
    ['a list', '[]', 'turn_result_extraction_failure'],
    ['a text', '"{\\"schema_version\\":\\"1.0\\"}"', 'turn_result_extraction_failure'],
    ['another object', '{"error": "busy"}', 'turn_result_extraction_failure'],
  ])('an answer that is %s is no result', async (_, body, error_class) => {
    await out(status(200, body));
    expect(await scene.fails(options())).toMatchObject({ error_class, category: 'parse', blocked: false });
    expect(scene.staged()).toBeNull();
  });

  it('an answer without end is not read to its end', async () => {
    const piece = ' '.repeat(1024 * 1024);
    await out((response) => {
      const more = (): void => {
        if (response.writable && response.write(piece)) setImmediate(more);
        else response.once('drain', more);
      };
      response.writeHead(200);
      more();
    });
    expect(await scene.fails(options())).toMatchObject({ error_class: 'response_too_large', category: 'permanent' });
    await stub.until(() => stub.hungUp === 1);
  });

  it.each([
    ['nothing comes', silence],
    ['the body stalls', stall('{"schema_version"')],
  ])('the time is over also when %s', async (_, answer) => {
    await out(answer, { timeout_ms: 30_000 });
    const failed = scene.fails(options());
    await stub.until(() => stub.asked.length === 1);
    await new Promise((done) => setImmediate(done));
    clock.advance(30_000);
    expect(await failed).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient' });
    await stub.until(() => stub.hungUp === 1);
  });

  it('the usual time is 120 s, and the time that is asked for comes first', async () => {
    await out(silence);
    for (const [more, ms] of [
      [{}, 120_000],
      [{ timeoutMs: 7_000 }, 7_000],
    ] as const) {
      const asked = stub.asked.length;
      const failed = scene.fails(options(more));
      await stub.until(() => stub.asked.length === asked + 1);
      expect((clock.due ?? 0) - clock.monotonic()).toBe(ms);
      clock.advance(ms);
      expect(await failed).toMatchObject({ reason: 'timeout' });
      expect(clock.waiting).toBe(0);
    }
  });

  it('a server that goes away is told, and so is one that is not there', async () => {
    await out(reset);
    expect(await scene.fails(options())).toMatchObject({ error_class: 'network_failure', category: 'transient' });
    await scene.dispatched({ type: 'remote_agent', url: 'http://127.0.0.1:9/' });
    expect(await scene.fails(options())).toMatchObject({ error_class: 'network_failure' });
  });

  it('who cancels ends the request', async () => {
    await out(silence);
    const cancel = new AbortController();
    const failed = scene.fails(options({ signal: cancel.signal }));
    await stub.until(() => stub.asked.length === 1);
    cancel.abort();
    expect(await failed).toMatchObject({ reason: 'aborted', blocked: false });
    await stub.until(() => stub.hungUp === 1);
    expect(clock.waiting).toBe(0);
  });

  it('a variable that is not set: nothing is sent', async () => {
    await out(status(200), { headers: { authorization: 'Bearer ${WICK}' } });
    expect(await scene.fails(options({ variables: {} }))).toMatchObject({
      error_class: 'unset_variable',
      blocked: true,
    });
    expect(stub.asked).toEqual([]);
  });

  it('what was dispatched is posted with the headers, and the answer is staged', async () => {
    await scene.dispatched({ type: 'manual' });
    await out(status(201, scene.result), { headers: { authorization: 'Bearer ${WICK}', 'x-lamp': 'on' } });
    expect(await scene.run(options({ variables: { WICK: SECRET } }))).toEqual({ ok: true, turnResult: scene.result });
    expect(scene.staged()).toEqual(scene.result);
    expect(stub.asked[0]).toMatchObject({ headers: { authorization: `Bearer ${SECRET}`, 'x-lamp': 'on' } });
    expect(stub.asked[0]?.body).toEqual({
      ...{ run_id: 'run_lamp', turn_id: TURN, role: 'builder', phase: 'implementation', runtime_id: 'bench' },
      dispatch_dir: BUNDLE,
      prompt: scene.project.read(`${BUNDLE}/PROMPT.md`),
      context: scene.project.read(`${BUNDLE}/CONTEXT.md`),
    });
  });

  it.each([
    ['a refusal', status(401, `not with ${SECRET}, plain-in-config or ${SECRET}-q`)],
    ['words', status(200, `${SECRET} plain-in-config ${SECRET}-q`)],
    ['no answer', reset],
  ])('no secret is shown of %s', async (_, answer) => {
    const headers = { 'x-wick': '${WICK}', 'x-api-key': 'plain-in-config' };
    await out(answer, { headers });
    // The address and the config are as they were written.
    const url = `${stub.origin}/turn?code=${SECRET}-q`;
    const failure = await scene.fails(options({ variables: { WICK: SECRET } }));
    const kept = [KEPT].map((folder) => scene.everythingIn(folder)).join('\n');
    for (const secret of [SECRET, 'plain-in-config', url])
      expect(`${JSON.stringify(failure)} ${kept}`).not.toContain(secret);
  });
});
