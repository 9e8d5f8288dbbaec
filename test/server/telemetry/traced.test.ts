// Posts with OpenTelemetry there: one span each, a child of its sender's, and the envelope says so before it is delivered.

import { SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { type CreateHubOptions, createHub, type LocalHub } from 'parley-hub';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { logOf } from '../websocket/fuzz.ts';

const spans = new InMemorySpanExporter();
let hub: LocalHub | undefined;
beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
});
afterEach(async () => {
  await hub?.stop();
  spans.reset();
});
afterAll(() => trace.disable());

async function talking(options: CreateHubOptions = {}) {
  hub = await createHub(options);
  const heard: (string | null)[] = [];
  await hub.agent('bob', { onMessage: ({ envelope }) => void heard.push(envelope.traceparent) });
  const alice = await hub.agent('alice');
  const session = await alice.open('conversation', ['bob']);
  const post = (more: object = {}) =>
    alice.call('post', { session_id: session.id, event_type: 'msg.text', event_data: { text: 'hi' }, ...more });
  return { hub, heard, session, post };
}

it('[MO3] a post without a traceparent begins a trace, and its envelope has it in the log and on delivery', async () => {
  const { hub, heard, session, post } = await talking();
  const { seq, envelope_id } = await post();
  const [span, more] = spans.getFinishedSpans();
  expect(more).toBe(undefined);
  expect(span).toMatchObject({ name: 'parley.accept', parentSpanContext: undefined });
  expect(span?.attributes).toEqual({
    'parley.session_id': session.id,
    'parley.event_type': 'msg.text',
    'parley.envelope_id': envelope_id,
    'parley.seq': seq,
  });
  const { traceId, spanId } = span?.spanContext() ?? { traceId: '', spanId: '' };
  const traceparent = `00-${traceId}-${spanId}-01`;
  await expect.poll(() => heard).toEqual([traceparent]);
  const last = (await logOf(hub, 'alice', session.id)).at(-1) ?? '';
  expect(JSON.parse(last).traceparent).toBe(traceparent);
});

it('[MO3] a post with a traceparent keeps it, and the span is its child', async () => {
  const { heard, post } = await talking();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await post({ traceparent });
  const [span] = spans.getFinishedSpans();
  expect(span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(span?.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true });
  await expect.poll(() => heard).toEqual([traceparent]);
});

it('[MO3] a refused post ends its span with the code, and a repeated key is no other content', async () => {
  const { post } = await talking();
  await expect(post({ session_id: 'e'.repeat(32) })).rejects.toMatchObject({ code: 'not_found' });
  await expect(post({ event_data: {} })).rejects.toMatchObject({ code: expect.any(String) });
  for (const span of spans.getFinishedSpans()) expect(span.status.code).toBe(SpanStatusCode.ERROR);
  expect(spans.getFinishedSpans()).toHaveLength(2);
  const first = await post({ idempotency_key: 'k' });
  expect(await post({ idempotency_key: 'k' })).toMatchObject({ seq: first.seq, duplicate: true });
});
