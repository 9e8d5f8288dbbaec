/** What the session is made of, in panels. To add one, add it to the list. */

import type { ComponentType } from 'preact';
import { useMemo } from 'preact/hooks';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import { hubClock } from '../../state/hub-clock.ts';
import { hasGraph, isGoverned } from '../../state/session/session-kind.ts';
import { stillAt } from '../../time/ticker.ts';
import { TickerContext } from '../../time/times.tsx';
import { Expectations } from './panel-expectations.tsx';
import { Governed } from './panel-governed.tsx';
import { Graph } from './panel-graph.tsx';
import { Metadata } from './panel-metadata.tsx';
import type { PanelProps } from './panel-props.ts';
import { PublicState } from './panel-state.tsx';

export interface Panel {
  readonly id: string;
  readonly title: string;
  /** Whether it has anything to show of such a session. */
  applies(state: SessionStateAt): boolean;
  readonly Body: ComponentType<PanelProps>;
  readonly isOpen: boolean;
}

export const PANELS: readonly Panel[] = [
  { id: 'graph', title: 'Workflow', applies: hasGraph, Body: Graph, isOpen: true },
  { id: 'governed', title: 'Governed run', applies: isGoverned, Body: Governed, isOpen: true },
  { id: 'expectations', title: 'Expectations', applies: () => true, Body: Expectations, isOpen: true },
  { id: 'state', title: 'State', applies: () => true, Body: PublicState, isOpen: true },
  { id: 'metadata', title: 'Metadata', applies: () => true, Body: Metadata, isOpen: false },
];

export function Inspector({ session, state }: PanelProps) {
  const isNow = session.replay === null;
  const clock = useMemo(() => (isNow ? hubClock : stillAt(Date.parse(state.at))), [isNow, state.at]);
  return (
    <TickerContext.Provider value={clock}>
      <aside class="inspector" aria-label="Inspector">
        {PANELS.filter((panel) => panel.applies(state)).map(({ id, title, Body, isOpen }) => (
          <details key={id} class={`panel panel-${id}`} open={isOpen}>
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
