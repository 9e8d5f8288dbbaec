/** The hub's figures as Prometheus reads them, beside those of the process itself. */

import { collectDefaultMetrics, type Metric, type MetricObject, type MetricType, Registry } from 'prom-client';
import type { Figures } from '../../hub/figures.ts';
import { MEASURES, type Measure, samplesOf } from '../../server/telemetry/metrics.ts';

/** Made when somebody first looks: until then nothing of it costs anything. */
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
