/** The hub's metrics for Prometheus: name, meaning and source of each, beside those of the process. */

import { collectDefaultMetrics, type Metric, type MetricObject, type MetricType, Registry } from 'prom-client';
import type { Histogram } from '../../hub/lib/histogram.ts';
import type { Figures } from '../../hub/reading/console/figures.ts';

/** Created at the first scrape: until then it costs nothing. */
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

  /** A registry only asks a metric for its values; ours are counted elsewhere. */
  private metricOf(measure: Measure): Metric {
    const { name, help, kind } = measure;
    const get = async (): Promise<MetricObject & { readonly values: readonly object[] }> => ({
      name,
      help,
      // The library declares an enum and uses its words.
      type: kind as unknown as MetricType,
      aggregator: 'sum',
      collect: () => {},
      values: samplesOf(measure, this.figures),
    });
    return { name, help, get, reset() {} } as unknown as Metric;
  }
}

export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram's parts. */
  readonly metricName?: string;
}

interface Named {
  readonly name: string;
  readonly help: string;
}

export type Measure =
  | (Named & { readonly kind: 'counter' | 'gauge'; readonly samples: (figures: Figures) => readonly Sample[] })
  | (Named & { readonly kind: 'histogram'; readonly ms: (figures: Figures) => Histogram });

export const MEASURES: readonly Measure[] = [
  {
    name: 'parley_envelopes_total',
    help: 'Envelopes that became durable, by who made them.',
    kind: 'counter',
    samples: ({ counted }) => [
      { value: counted.posted, labels: { by: 'participant' } },
      { value: counted.ofHub, labels: { by: 'hub' } },
    ],
  },
  {
    name: 'parley_refusals_total',
    help: 'Errors that peers were answered with, by code.',
    kind: 'counter',
    samples: ({ counted }) => labelled(counted.refusals, (code) => ({ code })),
  },
  {
    name: 'parley_ack_seconds',
    help: 'From the arrival of a post to its answer.',
    kind: 'histogram',
    ms: ({ counted }) => counted.ackMs,
  },
  {
    name: 'parley_sync_seconds',
    help: 'From the first unit of a flush to its end on the disk.',
    kind: 'histogram',
    ms: ({ flushMs }) => flushMs,
  },
  {
    name: 'parley_lateness_seconds',
    help: 'From the moment a session was due to be looked at to the look.',
    kind: 'histogram',
    ms: ({ counted }) => counted.lateMs,
  },
  gauge('parley_staged_units', 'Units that wait for the disk.', ({ health }) => health.staged_units),
  gauge('parley_staged_bytes', 'Bytes that wait for the disk.', ({ health }) => health.staged_bytes),
  gauge('parley_unacked', 'Deliveries that wait for a receipt, over all streams.', ({ unacked }) => unacked.total),
  gauge('parley_unacked_most', 'Deliveries that wait for a receipt, of the identity that has most.', (figures) => {
    return figures.unacked.most;
  }),
  gauge('parley_sessions_live', 'Sessions that have not ended.', ({ health }) => health.sessions.live),
  {
    name: 'parley_sessions',
    help: 'Sessions that have not ended, in memory or not, by type and state.',
    kind: 'gauge',
    samples: ({ live }) => live.map(({ type, state, count }) => ({ value: count, labels: { type, state } })),
  },
  gauge('parley_sessions_unavailable', 'Sessions in memory that lack something.', ({ health }) => {
    return health.sessions.unavailable;
  }),
  gauge('parley_sessions_loaded', 'Sessions in memory.', ({ health }) => health.sessions.loaded),
  {
    name: 'parley_sessions_total',
    help: 'What became of sessions since the start, by type: created, opened, closing, ended.',
    kind: 'counter',
    samples: ({ counted }) =>
      labelled(counted.sessions, (key) => {
        const [type = '', event = ''] = key.split('\n');
        return { type, event };
      }),
  },
  {
    name: 'parley_violations_total',
    help: 'Expectations that were violated, by name.',
    kind: 'counter',
    samples: ({ counted }) => labelled(counted.violations, (name) => ({ name })),
  },
  gauge('parley_connections', 'Connections that are open.', ({ health }) => health.connections),
  gauge('parley_bound', 'Identities that are bound.', ({ health }) => health.bound),
  gauge('parley_held_up', 'Connections that do not read what is sent to them.', ({ heldUp }) => heldUp),
  {
    name: 'parley_slow_consumers_total',
    help: 'Connections that were ended because they did not read.',
    kind: 'counter',
    samples: ({ counted }) => [{ value: counted.slowConsumers, labels: {} }],
  },
  gauge('parley_ready', '1 = the hub takes new work.', ({ health }) => (health.ready ? 1 : 0)),
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

/** Prometheus wants seconds, and each range with all below it. */
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
