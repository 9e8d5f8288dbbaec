/** The last minute of the hub, as small charts. */

import type { FigurePoint, HubFigures } from '../../core/console-operations.ts';
import { Sparkline } from '../parts/chart/sparkline.tsx';

export function Charts({ figures: { series } }: { figures: HubFigures }) {
  const line = (name: string, figure: (point: FigurePoint) => number | null) => ({
    name,
    points: series.map(figure),
  });
  return (
    <section class="charts" aria-label="The last minute">
      <div class="card">
        <Sparkline label="Posts" unit="/s" series={[line('posts', (point) => point.posts_per_s)]} />
      </div>
      <div class="card">
        <Sparkline label="Delivered" unit="/s" series={[line('delivered', (point) => point.delivered_per_s)]} />
      </div>
      <div class="card">
        <Sparkline label="Refused" unit="/s" series={[line('refused', (point) => point.refused_per_s)]} />
      </div>
      <div class="card">
        <Sparkline
          label="Ack"
          unit=" ms"
          series={[line('p50', (point) => point.ack_p50_ms), line('p99', (point) => point.ack_p99_ms)]}
        />
      </div>
    </section>
  );
}
