/** Creates one OpenTelemetry span per post, if the API is installed and a provider is registered. */

import type { Context, Tracer } from '@opentelemetry/api';
import type { PostTrace, Tracing } from '../../core/ports/platform.ts';

type Api = typeof import('@opentelemetry/api');

const W3C = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The global key under which every copy of the API keeps its registrations. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** null if no provider is registered: then the API is not even loaded, and posts cost nothing extra. */
export async function openTelemetry(
  load: () => Promise<Api> = () => import('@opentelemetry/api'),
): Promise<Tracing | null> {
  const registered: unknown = Reflect.get(globalThis, REGISTERED);
  if (typeof registered !== 'object' || registered === null || !('trace' in registered)) return null;
  const api = await load().catch(() => null);
  if (api === null || !isProvided(api)) return null;
  const tracer = api.trace.getTracer('parley-hub');
  return { accepting: (post) => traceOf(api, tracer, post) };
}

/** True if a provider is set; without one, the API drops spans. */
function isProvided({ trace, ProxyTracerProvider }: Api): boolean {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return true;
  return provider.getDelegate() !== new ProxyTracerProvider().getDelegate();
}

function traceOf(api: Api, tracer: Tracer, post: Parameters<Tracing['accepting']>[0]): PostTrace {
  const { session_id, event_type, traceparent } = post;
  const attributes = { 'parley.session_id': session_id, 'parley.event_type': event_type };
  const kind = api.SpanKind.CONSUMER;
  const span = tracer.startSpan('parley.accept', { kind, attributes }, parentOf(api, traceparent));
  const { traceId, spanId, traceFlags } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, '0');
  return {
    traceparent: api.isSpanContextValid(span.spanContext()) ? `00-${traceId}-${spanId}-${flags}` : null,
    accepted({ envelope_id, seq }) {
      span.setAttributes({ 'parley.envelope_id': envelope_id, 'parley.seq': seq });
      span.end();
    },
    refused(code) {
      span.setAttribute('parley.code', code);
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: code });
      span.end();
    },
  };
}

/** The sender's span as parent; without one, a new trace begins. */
function parentOf({ trace, ROOT_CONTEXT }: Api, traceparent: string | null): Context {
  const [, traceId, spanId, flags] = W3C.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
