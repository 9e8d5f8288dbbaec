/** The last minute of the hub, as small charts. */

import type { FigurePoint, HubFigures } from '../../core/console-operations.ts';

interface Drawn {
  readonly title: string;
  readonly unit: string;
  valueOf(point: FigurePoint): number | null;
}

const CHARTS: readonly Drawn[] = [
  { title: 'Posts', unit: '/s', valueOf: (point) => point.posts_per_s },
  { title: 'Delivered', unit: '/s', valueOf: (point) => point.delivered_per_s },
  { title: 'Refused', unit: '/s', valueOf: (point) => point.refused_per_s },
  { title: 'Ack p50', unit: ' ms', valueOf: (point) => point.ack_p50_ms },
  { title: 'Ack p99', unit: ' ms', valueOf: (point) => point.ack_p99_ms },
];

export function Charts({ figures }: { figures: HubFigures }) {
  return (
    <section class="charts" aria-label="The last minute">
      {CHARTS.map((chart) => (
        <Chart key={chart.title} chart={chart} series={figures.series} />
      ))}
    </section>
  );
}

const [WIDTH, HEIGHT] = [120, 32];

function Chart({ chart, series }: { chart: Drawn; series: readonly FigurePoint[] }) {
  const values = series.map((point) => chart.valueOf(point) ?? 0);
  const most = Math.max(1, ...values);
  const points = values.map((value, at) => {
    const x = values.length < 2 ? 0 : (at / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`;
  });
  const last = values.at(-1) ?? 0;
  return (
    <figure class="chart">
      <figcaption>
        {chart.title}{' '}
        <strong>
          {round(last)}
          {chart.unit}
        </strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <polyline points={points.join(' ')} />
      </svg>
      <span class="dim">most {round(most)}</span>
    </figure>
  );
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 10) / 10);
}
