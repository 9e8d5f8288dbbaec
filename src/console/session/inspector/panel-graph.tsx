/** Renders the panel that draws a workflow, its turn holder and the path taken so far. */

import { useMemo } from 'preact/hooks';
import type { JsonObject } from '../../../core/lib/json.ts';
import { callRead } from '../../connection/read-operations.ts';
import { useRead } from '../../connection/use-read.ts';
import { GraphDrawing } from '../../parts/graph/graph-drawing.tsx';
import { namesFrom } from '../../state/session/open-session.ts';
import { pathAt, type WholeLog } from '../../state/session/whole-log.ts';
import { useWholeLog } from '../reading/use-whole-log.ts';
import type { PanelProps } from './panels.tsx';

export function Graph({ session, state }: PanelProps) {
  const { knobs, manifest, session_id } = state.session;
  // Read the graph only once: the graph of a session never changes.
  const read = () => callRead('check_graph', { graph: knobs.graph as JsonObject, type: manifest.type });
  const { answer: graph, failure } = useRead(read, [session_id]);
  const names = useMemo(() => Object.fromEntries(namesFrom(state)), [state]);
  const whole = useWholeLog(session);
  const { replay, by } = session;
  const isLoaded = replay === null || replay.state !== null;
  const turn = replay === null ? session.turn : state.turn;
  const atSeq = replay === null ? Number.POSITIVE_INFINITY : (replay.state?.at_seq ?? replay.atSeq);
  const steps = whole?.steps;
  const path = useMemo(() => (whole === null ? [] : pathAt(whole, atSeq)), [steps, atSeq]);
  // Without the observe grant the log lacks the envelopes addressed to others.
  const hasGaps = by === 'asking' && state.public_state.turn_count !== (whole?.earlierSteps ?? 0) + path.length;
  if (failure !== null) return <p class="refusal">{failure}</p>;
  if (graph === null) return <p class="dim">Loading…</p>;
  return (
    <>
      <GraphDrawing
        graph={graph}
        path={path}
        current={isLoaded ? (turn?.agent_id ?? null) : null}
        end={isLoaded ? state.session.close_reason : null}
        isWhole={whole !== null && !hasGaps && isKnownUpTo(whole, turn?.since_seq ?? state.at_seq, atSeq)}
        hasGaps={hasGaps}
        names={names}
      />
      {whole !== null && whole.earlierSteps > 0 && (
        <p class="dim">{whole.earlierSteps.toLocaleString('en')} earlier turns are not counted.</p>
      )}
    </>
  );
}

/** True if no step is missing. Turns, the end and envelopes arrive separately. */
function isKnownUpTo({ steps, seq, isWhole }: WholeLog, newestSeq: number, atSeq: number): boolean {
  if (!isWhole && seq < atSeq) return false;
  const last = steps.findLast((step) => step.seq <= atSeq)?.seq ?? 0;
  return newestSeq >= last && newestSeq <= seq;
}
