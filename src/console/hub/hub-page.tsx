/** The hub as a whole: how it is doing, who is there, what went wrong, and who is waited for. */

import { useEffect } from 'preact/hooks';
import type { FigurePoint, HubFigures } from '../../core/protocol/operations/console-hub.ts';
import { Sparkline } from '../parts/chart/sparkline.tsx';
import { EMPTY_HUB, type HubState } from '../state/hub-state.ts';
import { hrefOf, NO_FILTER } from '../state/route.ts';
import { useConsole } from '../state/use-store.ts';
import { duration } from '../time/time-text.ts';
import { Agents } from './agents.tsx';
import { Feed } from './feed.tsx';
import { followHub } from './live-hub.ts';
import { SlowConsumers, Waits } from './waits.tsx';

export function HubPage() {
  const hub = useConsole((state) => state.hub) ?? EMPTY_HUB;
  const observes = useConsole((state) => state.me?.grants.includes('observe') ?? false);
  useEffect(() => (observes ? followHub() : undefined), [observes]);
  if (!observes) return <NotShown />;
  return (
    <div class="page hub-page">
      <div class="page-head">
        <h1>Hub</h1>
      </div>
      {Object.entries(hub.refusals).map(([what, why]) => (
        <p key={what} class="refusal" role="alert">
          The hub does not show its {what}: <bdi>{why}</bdi>
        </p>
      ))}
      <Tiles hub={hub} />
      {hub.figures !== null && <Charts figures={hub.figures} />}
      <div class="columns">
        <div class="column">
          <Waits figures={hub.figures} />
          <Agents hub={hub} />
        </div>
        <div class="column">
          <Feed entries={hub.feed} />
          <SlowConsumers figures={hub.figures} />
        </div>
      </div>
    </div>
  );
}

function NotShown() {
  return (
    <div class="page">
      <h1>Hub</h1>
      <p>
        What the hub does as a whole is shown to those with the grant <code>observe</code>, and you do not have it.
        Whoever runs the hub gives it with <code>parley token create --name … --grant observe</code>.
      </p>
      <p>
        <a href={hrefOf({ page: 'sessions', filter: NO_FILTER })}>Your sessions</a>
      </p>
    </div>
  );
}

function Tiles({ hub: { figures } }: { hub: HubState }) {
  if (figures === null) return <p class="dim">Reading…</p>;
  const newest = figures.series.at(-1);
  const live = Object.values(figures.sessions).reduce((sum, count) => sum + count, 0);
  const tiles: readonly (readonly [string, string])[] = [
    ['Up for', duration(figures.uptime_s * 1000)],
    ['Live sessions', live.toLocaleString('en')],
    ['Agents connected', figures.agents_connected.toLocaleString('en')],
    ['Connections', figures.connections.toLocaleString('en')],
    ['Posts per second', String(newest?.posts_per_s ?? 0)],
    ['Ack p99', newest?.ack_p99_ms == null ? '–' : `${newest.ack_p99_ms.toFixed(1)} ms`],
    ['Being written', `${figures.staged.units}`],
    ['Refused', figures.totals.refused.toLocaleString('en')],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name} class="tile">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

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
