/** Page about the whole hub: figures, agents, the feed and pending waits. */

import { useEffect } from 'preact/hooks';
import type { HubFigures } from '../../core/protocol/operations/console-hub.ts';
import { Sparkline } from '../parts/chart/sparkline.tsx';
import { EMPTY_HUB, type HubState } from '../state/hub-state.ts';
import { useConsole } from '../state/use-store.ts';
import { duration } from '../time/time-text.ts';
import { AllSessionsLink, Failure } from '../widgets/widgets.tsx';
import { Agents } from './agents.tsx';
import { Feed } from './feed.tsx';
import { followHub } from './live-hub.ts';
import { SlowConsumers, Waits } from './waits.tsx';

export function HubPage() {
  const hub = useConsole((state) => state.hub) ?? EMPTY_HUB;
  const observes = useConsole((state) => state.me?.grants.includes('observe') ?? false);
  useEffect(() => (observes ? followHub() : undefined), [observes]);
  if (!observes) return <GrantNeeded />;
  return (
    <div class="page hub-page">
      <div class="page-head">
        <h1>Hub</h1>
      </div>
      {Object.entries(hub.refusals).map(([what, why]) => (
        <Failure key={what} title={`The hub refused to show its ${what}`} why={why} />
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

function GrantNeeded() {
  return (
    <div class="page">
      <h1>Hub</h1>
      <p>
        This page requires the <code>observe</code> grant, which you do not have. An operator can grant it with{' '}
        <code>parley token create --name … --grant observe</code>.
      </p>
      <AllSessionsLink text="Your sessions" />
    </div>
  );
}

function Tiles({ hub: { figures } }: { hub: HubState }) {
  if (figures === null) return <p class="dim">Loading…</p>;
  const newest = figures.series.at(-1);
  const live = Object.values(figures.sessions).reduce((sum, count) => sum + count, 0);
  const tiles: readonly (readonly [string, string])[] = [
    ['Up for', duration(figures.uptime_s * 1000)],
    ['Live sessions', live.toLocaleString('en')],
    ['Agents connected', figures.agents_connected.toLocaleString('en')],
    ['Connections', figures.connections.toLocaleString('en')],
    ['Posts per second', String(newest?.posts_per_s ?? 0)],
    ['Ack p99', newest?.ack_p99_ms == null ? '–' : `${newest.ack_p99_ms.toFixed(1)} ms`],
    ['Staged units', `${figures.staged.units}`],
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

const CHARTS = [
  { label: 'Posts', unit: '/s', lines: [['posts', 'posts_per_s']] },
  { label: 'Delivered', unit: '/s', lines: [['delivered', 'delivered_per_s']] },
  { label: 'Refused', unit: '/s', lines: [['refused', 'refused_per_s']] },
  {
    label: 'Ack',
    unit: ' ms',
    lines: [
      ['p50', 'ack_p50_ms'],
      ['p99', 'ack_p99_ms'],
    ],
  },
] as const;

function Charts({ figures: { series } }: { figures: HubFigures }) {
  return (
    <section class="charts" aria-label="The last minute">
      {CHARTS.map(({ label, unit, lines }) => (
        <div key={label} class="card">
          <Sparkline
            label={label}
            unit={unit}
            series={lines.map(([name, figure]) => ({ name, points: series.map((point) => point[figure]) }))}
          />
        </div>
      ))}
    </section>
  );
}
