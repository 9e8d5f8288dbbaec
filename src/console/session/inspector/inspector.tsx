/** Shows the panels next to the transcript. To add a panel, add it to `PANELS`. */

import type { ComponentType } from 'preact';
import { useMemo } from 'preact/hooks';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import { hubClock } from '../../state/hub-clock.ts';
import { hasGraph, isGoverned } from '../../state/session/whole-log.ts';
import { stillAt } from '../../time/ticker.ts';
import { TickerContext } from '../../time/times.tsx';
import { Governed } from './panel-governed.tsx';
import { Graph } from './panel-graph.tsx';
import { Expectations, Metadata, type PanelProps, PublicState } from './panels.tsx';

interface Panel {
  readonly id: string;
  readonly title: string;
  /** Absent if the panel applies to every session. */
  applies?(state: SessionStateAt): boolean;
  readonly Body: ComponentType<PanelProps>;
  readonly isClosed?: boolean;
}

const PANELS: readonly Panel[] = [
  { id: 'graph', title: 'Workflow', applies: hasGraph, Body: Graph },
  { id: 'governed', title: 'Governed run', applies: isGoverned, Body: Governed },
  { id: 'expectations', title: 'Expectations', Body: Expectations },
  { id: 'state', title: 'State', Body: PublicState },
  { id: 'metadata', title: 'Metadata', Body: Metadata, isClosed: true },
];

export function Inspector({ session, state }: PanelProps) {
  const isNow = session.replay === null;
  const clock = useMemo(() => (isNow ? hubClock : stillAt(Date.parse(state.at))), [isNow, state.at]);
  return (
    <TickerContext.Provider value={clock}>
      <aside class="inspector" aria-label="Inspector">
        {PANELS.filter(({ applies }) => applies?.(state) ?? true).map(({ id, title, Body, isClosed = false }) => (
          <details key={id} class={`panel panel-${id}`} open={!isClosed}>
            <summary>{title}</summary>
            <div class="panel-body">
              <Body session={session} state={state} />
            </div>
          </details>
        ))}
      </aside>
    </TickerContext.Provider>
  );
}
