/** Waiting ends, whatever the garbage collector does meanwhile. */

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

test('[MC5] a wait ends in its time, also where everything is collected that nobody holds', async () => {
  collecting = setInterval(collect, 20);
  const found = await waitFor(callWith(new AbortController().signal, 300), null, async () => ({ status: 'waiting' }));
  expect(found).toEqual({ status: 'waiting' });
}, 5_000);

test('[MC5] a wait that is cancelled ends at once, also if it was before it began', async () => {
  const cancel = new AbortController();
  const waiting = waitFor(callWith(cancel.signal, 600_000), null, async () => ({ status: 'waiting' }));
  setImmediate(() => cancel.abort());
  expect(await waiting).toEqual({ status: 'waiting' });
  expect(await waitFor(callWith(cancel.signal, 600_000), null, async () => ({ status: 'waiting' }))).toEqual({
    status: 'waiting',
  });
}, 5_000);

test('[MC5] a wait ends in its time, also where the hub no longer answers', async () => {
  let looks = 0;
  const look = async (): Promise<{ status: string }> => {
    looks += 1;
    return looks === 1 ? { status: 'waiting' } : new Promise(() => {});
  };
  const found = await waitFor(callWith(new AbortController().signal, 100), null, look);
  expect(found).toEqual({ status: 'waiting', reason: expect.stringContaining('the hub does not answer') });
  expect(looks).toBe(2);
}, 5_000);

test('[MC5] a hub that does not answer from the beginning is told in time, too', async () => {
  const waiting = waitFor(callWith(new AbortController().signal, 100), null, () => new Promise<never>(() => {}));
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
}, 5_000);
