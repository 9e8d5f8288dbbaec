/** The workflow as a picture: who has the turn is lit, and the way it took is marked. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JsonObject } from '../../../core/lib/json.ts';
import type { GraphReport } from '../../../core/ports/adapter.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import type { Turn } from '../../../core/records/session/envelope.ts';
import { callRead, reasonOf } from '../../connection/read-operations.ts';
import { GraphDrawing } from '../../parts/graph/graph-drawing.tsx';
import { namesFrom, type OpenSession } from '../../state/session/open-session.ts';
import { pathAt, type WholeLog } from '../../state/session/whole-log.ts';
import { useWholeLog } from '../reading/use-whole-log.ts';
import type { PanelProps } from './panel-props.ts';

export function Graph({ session, state }: PanelProps) {
  const { knobs, manifest, session_id } = state.session;
  const [report, setReport] = useState<GraphReport | string | null>(null);
  // A session keeps its graph for good.
  useEffect(() => {
    let counts = true;
    callRead('check_graph', { graph: knobs.graph as JsonObject, type: manifest.type }).then(
      (answer) => counts && setReport(answer),
      (thrown) => counts && setReport(reasonOf(thrown)),
    );
    return () => {
      counts = false;
    };
  }, [session_id]);
  const names = useMemo(() => Object.fromEntries(namesFrom(state)), [state]);
  const whole = useWholeLog(session);
  const { turn, atSeq, isRead } = momentOf(session, state);
  const steps = whole?.steps;
  const path = useMemo(() => (whole === null ? [] : pathAt(whole, atSeq)), [steps, atSeq]);
  // Who may not observe has of a log what is for it.
  const isInPart = session.by === 'asking';
  const hasGaps = isInPart && state.public_state.turn_count !== (whole?.earlierSteps ?? 0) + path.length;
  if (report === null) return <p class="dim">Reading…</p>;
  if (typeof report === 'string') return <p class="refusal">{report}</p>;
  return (
    <>
      <GraphDrawing
        graph={report}
        path={path}
        current={isRead ? (turn?.agent_id ?? null) : null}
        end={isRead ? state.session.close_reason : null}
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

/** What is looked at: now, or what was read of the past; until that is here the moment that was asked for counts. */
function momentOf({ replay, turn }: OpenSession, state: SessionStateAt): Moment {
  if (replay === null) return { turn, atSeq: Number.POSITIVE_INFINITY, isRead: true };
  return { turn: state.turn, atSeq: replay.state?.at_seq ?? replay.atSeq, isRead: replay.state !== null };
}

interface Moment {
  readonly turn: Turn | null;
  readonly atSeq: number;
  readonly isRead: boolean;
}

/** The page hears of turns, of the end and of what was said apart from each other: nothing may be missing between them. */
function isKnownUpTo({ steps, seq, isWhole }: WholeLog, newestSeq: number, atSeq: number): boolean {
  if (!isWhole && seq < atSeq) return false;
  const last = steps.findLast((step) => step.seq <= atSeq)?.seq ?? 0;
  return newestSeq >= last && newestSeq <= seq;
}
