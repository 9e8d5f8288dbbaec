/** The workflow as a picture: who has the turn is lit, and the way it took is marked. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { GraphReport } from '../../core/console-operations.ts';
import type { JsonObject } from '../../core/json.ts';
import { ask, reasonOf } from '../ask.ts';
import { GraphDrawing } from '../parts/graph/graph-drawing.tsx';
import type { PanelProps } from './inspector.tsx';
import { namesIn } from './open-session.ts';
import { useWholeLog } from './read-whole.ts';
import { pathAt } from './whole-log.ts';

export function Graph({ session, state }: PanelProps) {
  const { knobs, manifest, session_id } = state.session;
  const [report, setReport] = useState<GraphReport | string | null>(null);
  // A session keeps its graph for good.
  useEffect(() => {
    let counts = true;
    ask('check_graph', { graph: knobs.graph as JsonObject, type: manifest.type }).then(
      (answer) => counts && setReport(answer),
      (thrown) => counts && setReport(reasonOf(thrown)),
    );
    return () => {
      counts = false;
    };
  }, [session_id]);
  const names = useMemo(() => Object.fromEntries(namesIn(state)), [state]);
  const whole = useWholeLog(session);
  const atSeq = session.replay?.atSeq ?? Number.POSITIVE_INFINITY;
  const steps = whole?.steps;
  const path = useMemo(() => (whole === null ? [] : pathAt(whole, atSeq)), [steps, atSeq]);
  if (report === null) return <p class="dim">Reading…</p>;
  if (typeof report === 'string') return <p class="refusal">{report}</p>;
  const turn = session.replay === null ? session.turn : state.turn;
  return (
    <>
      <GraphDrawing graph={report} current={turn?.agent_id ?? null} path={path} names={names} />
      {whole !== null && whole.earlierSteps > 0 && (
        <p class="dim">{whole.earlierSteps.toLocaleString('en')} earlier turns are not counted.</p>
      )}
    </>
  );
}
