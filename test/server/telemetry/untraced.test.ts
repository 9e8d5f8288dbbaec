// Posts where nobody traces: nothing is loaded, nothing is added, whether OpenTelemetry is installed or not.

import { createHub } from 'parley-hub';
import { afterEach, expect, it, vi } from 'vitest';
import { openTelemetry } from '../../../src/server/telemetry/tracing.ts';
import { logOf } from '../websocket/fuzz.ts';

const REGISTERED = Symbol.for('opentelemetry.js.api.1');
afterEach(() => void Reflect.deleteProperty(globalThis, REGISTERED));

it('[MO4] without a provider the API is not even loaded', async () => {
  const load = vi.fn(() => import('@opentelemetry/api'));
  expect(await openTelemetry(load)).toBe(null);
  expect(load).not.toHaveBeenCalled();
});

it('[MO4] where the API is missing, or has nobody who takes spans, there is no tracing', async () => {
  Reflect.set(globalThis, REGISTERED, { version: '1.9.0', trace: {} });
  expect(await openTelemetry(() => Promise.reject(new Error('Cannot find package')))).toBe(null);
  const api = await import('@opentelemetry/api');
  Reflect.set(globalThis, REGISTERED, { version: '1.9.0', trace: new api.ProxyTracerProvider() });
  expect(await openTelemetry(async () => api)).toBe(null);
});

it('[MO4] a post gets no traceparent, and keeps its sender’s', async () => {
  const hub = await createHub();
  await hub.agent('bob', { onMessage() {} });
  const alice = await hub.agent('alice');
  const { id: session_id } = await alice.open('conversation', ['bob']);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  for (const more of [{}, { traceparent }]) {
    await alice.call('post', { session_id, event_type: 'msg.text', event_data: { text: 'hi' }, ...more });
  }
  const log = (await logOf(hub, 'alice', session_id)).slice(-2).map((line) => JSON.parse(line).traceparent);
  expect(log).toEqual([null, traceparent]);
  await hub.stop();
});
