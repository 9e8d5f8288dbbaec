/** Waits end, whatever the garbage collector does. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { WakeSignal } from '../../../src/mcp/session/participant.ts';
import type { Call } from '../../../src/mcp/tools/tool.ts';
import { waitFor } from '../../../src/mcp/tools/wait-for.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
let collecting: NodeJS.Timeout | undefined;

afterEach(() => clearInterval(collecting));

function callWith(signal: AbortSignal, maxWaitMs: number): Call {
  const watch = () => new WakeSignal(() => {});
  const participant = { agentId: Promise.resolve(''), call: () => Promise.reject(), watch, hasRead() {} };
  return { participant, maxWaitMs, signal, progress() {} };
}

test('[MC5] ends in time, even under garbage collection', async () => {
  collecting = setInterval(collect, 20);
  const found = await waitFor(callWith(new AbortController().signal, 300), null, async () => ({ status: 'waiting' }));
  expect(found).toEqual({ status: 'waiting' });
}, 5_000);

test('[MC5] ends immediately when cancelled, even before it began', async () => {
  const cancel = new AbortController();
  const waiting = waitFor(callWith(cancel.signal, 600_000), null, async () => ({ status: 'waiting' }));
  setImmediate(() => cancel.abort());
  expect(await waiting).toEqual({ status: 'waiting' });
  const late = waitFor(callWith(cancel.signal, 600_000), null, async () => ({ status: 'waiting' }));
  expect(await late).toEqual({ status: 'waiting' });
}, 5_000);

test('[MC5] ends in time when the hub stops answering', async () => {
  let looks = 0;
  const look = async (): Promise<{ status: string }> => {
    looks += 1;
    return looks === 1 ? { status: 'waiting' } : new Promise(() => {});
  };
  const found = await waitFor(callWith(new AbortController().signal, 100), null, look);
  expect(found).toEqual({ status: 'waiting', reason: expect.stringContaining('the hub is not answering') });
  expect(looks).toBe(2);
}, 5_000);

test('[MC5] rejects in time if the hub never answers', async () => {
  const waiting = waitFor(callWith(new AbortController().signal, 100), null, () => new Promise<never>(() => {}));
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
}, 5_000);
