/** Exports the hub's metrics to Prometheus, in addition to those of the process. */

import { collectDefaultMetrics, type Metric, type MetricObject, type MetricType, Registry } from 'prom-client';
import type { Histogram } from '../../hub/lib/histogram.ts';
import type { Figures } from '../../hub/reading/console/figures.ts';

/** Created at the first scrape. */
export class Exposition {
  private readonly registry = new Registry();
  private figures: Figures;

  constructor(figures: Figures) {
    this.figures = figures;
    collectDefaultMetrics({ register: this.registry });
    for (const measure of MEASURES) this.registry.registerMetric(this.metricOf(measure));
  }

  text(figures: Figures): Promise<string> {
    this.figures = figures;
    return this.registry.metrics();
  }

  /** Adapts a measure to the registry, which calls `get` at each scrape. */
  private metricOf(measure: Measure): Metric {
    const { name, help, kind } = measure;
    const get = async (): Promise<MetricObject & { readonly values: readonly object[] }> => ({
      name,
      help,
      // The library declares an enum but uses its values.
      type: kind as unknown as MetricType,
      aggregator: 'sum',
      collect: () => {},
      values: samplesOf(measure, this.figures),
    });
    return { name, help, get, reset() {} } as unknown as Metric;
  }
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Metric name of a part of a histogram. */
  readonly metricName?: string;
}

interface Named {
  readonly name: string;
  readonly help: string;
}

type Measure =
  | (Named & { readonly kind: 'counter' | 'gauge'; readonly samples: (figures: Figures) => readonly Sample[] })
  | (Named & { readonly kind: 'histogram'; readonly ms: (figures: Figures) => Histogram });

export const MEASURES: readonly Measure[] = [
  {
    name: 'parley_envelopes_total',
    help: 'Durable envelopes, by author (participant or hub).',
    kind: 'counter',
    samples: ({ counted }) => [
      { value: counted.posted, labels: { by: 'participant' } },
      { value: counted.ofHub, labels: { by: 'hub' } },
    ],
  },
  {
    name: 'parley_refusals_total',
    help: 'Error answers to peers, by code.',
    kind: 'counter',
    samples: ({ counted }) => labelled(counted.refusals, (code) => ({ code })),
  },
  {
    name: 'parley_ack_seconds',
    help: 'Time from the arrival of a post to its answer.',
    kind: 'histogram',
    ms: ({ counted }) => counted.ackMs,
  },
  {
    name: 'parley_sync_seconds',
    help: 'Time from the first unit of a flush until it is durable.',
    kind: 'histogram',
    ms: ({ flushMs }) => flushMs,
  },
  {
    name: 'parley_lateness_seconds',
    help: 'Delay of scheduled session checks.',
    kind: 'histogram',
    ms: ({ counted }) => counted.lateMs,
  },
  gauge('parley_staged_units', 'Units waiting for the disk.', ({ health }) => health.staged_units),
  gauge('parley_staged_bytes', 'Bytes waiting for the disk.', ({ health }) => health.staged_bytes),
  gauge('parley_unacked', 'Unacked deliveries of all streams.', ({ unacked }) => unacked.total),
  gauge('parley_unacked_most', 'Unacked deliveries of the identity with the most.', ({ unacked }) => unacked.most),
  gauge('parley_sessions_live', 'Sessions that have not ended.', ({ health }) => health.sessions.live),
  {
    name: 'parley_sessions',
    help: 'Sessions that have not ended, loaded or not, by type and state.',
    kind: 'gauge',
    samples: ({ live }) => live.map(({ type, state, count }) => ({ value: count, labels: { type, state } })),
  },
  gauge('parley_sessions_unavailable', 'Loaded sessions that are unavailable.', ({ health }) => {
    return health.sessions.unavailable;
  }),
  gauge('parley_sessions_loaded', 'Sessions in memory.', ({ health }) => health.sessions.loaded),
  {
    name: 'parley_sessions_total',
    help: 'Session lifecycle events since the start, by type: created, opened, closing, ended.',
    kind: 'counter',
    samples: ({ counted }) =>
      labelled(counted.sessions, (key) => {
        const [type = '', event = ''] = key.split('\n');
        return { type, event };
      }),
  },
  {
    name: 'parley_violations_total',
    help: 'Violated expectations, by name.',
    kind: 'counter',
    samples: ({ counted }) => labelled(counted.violations, (name) => ({ name })),
  },
  gauge('parley_connections', 'Open connections.', ({ health }) => health.connections),
  gauge('parley_bound', 'Bound identities.', ({ health }) => health.bound),
  gauge('parley_held_up', 'Connections under backpressure.', ({ heldUp }) => heldUp),
  {
    name: 'parley_slow_consumers_total',
    help: 'Connections closed because the peer did not read.',
    kind: 'counter',
    samples: ({ counted }) => [{ value: counted.slowConsumers, labels: {} }],
  },
  gauge('parley_ready', '1 = the hub accepts new work.', ({ health }) => (health.ready ? 1 : 0)),
];

export function samplesOf(measure: Measure, figures: Figures): readonly Sample[] {
  return measure.kind === 'histogram' ? rangesOf(measure.name, measure.ms(figures)) : measure.samples(figures);
}

function gauge(name: string, help: string, value: (figures: Figures) => number): Measure {
  return { name, help, kind: 'gauge', samples: (figures) => [{ value: value(figures), labels: {} }] };
}

function labelled<Key>(counts: ReadonlyMap<Key, number>, labels: (key: Key) => Sample['labels']): readonly Sample[] {
  return [...counts].map(([key, value]) => ({ value, labels: labels(key) }));
}

/** Prometheus expects seconds and cumulative buckets. */
function rangesOf(name: string, { bounds, counts, count, sum }: Histogram): readonly Sample[] {
  let below = 0;
  const ranges = bounds.map((bound, at) => {
    below += counts[at] ?? 0;
    return { metricName: `${name}_bucket`, value: below, labels: { le: bound / 1000 } };
  });
  return [
    ...ranges,
    { metricName: `${name}_bucket`, value: count, labels: { le: '+Inf' } },
    { metricName: `${name}_sum`, value: sum / 1000, labels: {} },
    { metricName: `${name}_count`, value: count, labels: {} },
  ];
}
