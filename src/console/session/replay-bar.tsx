/** Renders the timeline: event marks, a slider to go back in the log, and a choice of whose view to show. */

import { useMemo } from 'preact/hooks';
import type { SessionStateAt } from '../../core/protocol/operations/console-sessions.ts';
import { go } from '../state/navigation.ts';
import { type MarkAt, marksFrom, nearestMark } from '../state/session/marks.ts';
import type { OpenSession } from '../state/session/open-session.ts';
import { useConsole } from '../state/use-store.ts';
import { shortLine } from '../text/visible-text.ts';
import { Failure } from '../widgets/widgets.tsx';
import { useWholeLog } from './reading/use-whole-log.ts';

export function ReplayBar({ session, state }: { session: OpenSession; state: SessionStateAt }) {
  const { id, log, marks, replay } = session;
  const head = Math.max(log.headSeq, state.head_seq, 1);
  const at = replay?.atSeq ?? head;
  const to = (atSeq: number | null, as: string | null = replay?.as ?? null): void =>
    go({ page: 'session', sessionId: id, atSeq, as }, { replace: true });
  const before = nearestMark(marks, at, 'before');
  const behind = nearestMark(marks, at, 'behind');
  const me = useConsole((open) => open.me);
  const observes = me?.grants.includes('observe') === true;
  const viewers = state.session.participants.filter(({ agent_id }) => observes || agent_id === me?.agent_id);
  const from = marksFrom(marks, log, useWholeLog(session));
  return (
    <section class="replay" aria-label="Replay">
      <Timeline marks={marks} head={head} at={at} />
      <input
        type="range"
        min={1}
        max={head}
        value={at}
        aria-label="Show the session as of this seq"
        aria-valuetext={replay === null ? `live, seq ${head}` : `seq ${at} of ${head}`}
        onInput={({ currentTarget }) => to(Number(currentTarget.value))}
      />
      <div class="replay-row">
        <button type="button" disabled={before === null} onClick={() => before !== null && to(before.seq)}>
          ‹ Mark
        </button>
        <button type="button" disabled={behind === null} onClick={() => behind !== null && to(behind.seq)}>
          Mark ›
        </button>
        <label class="field">
          <span>As seen by</span>
          <select
            value={replay?.as ?? ''}
            onChange={({ currentTarget }) => to(replay?.atSeq ?? head, currentTarget.value || null)}
          >
            <option value="">{observes ? 'everyone' : 'everything I can read'}</option>
            {viewers.map(({ agent_id, name }) => (
              <option key={agent_id} value={agent_id}>
                {shortLine(name, 40)}
              </option>
            ))}
          </select>
        </label>
        {from > 1 && <span class="dim">Marks from #{from} on</span>}
        <output class="at">
          #{at} of {head}
        </output>
        <button type="button" class={replay === null ? 'live on' : 'live'} onClick={() => to(null, null)}>
          {replay === null ? 'Live' : 'Back to live'}
        </button>
      </div>
      {replay?.refusal != null && replay.as === null && <Failure title="The hub refused" why={replay.refusal} />}
    </section>
  );
}

const WIDTH = 1000;

function Timeline({ marks, head, at }: { marks: readonly MarkAt[]; head: number; at: number }) {
  const place = (seq: number): number => (head <= 1 ? 0 : ((seq - 1) / (head - 1)) * WIDTH);
  // Draw one path per kind, so that the number of elements does not grow with the marks.
  const ticks = useMemo(() => {
    const byKind = new Map<string, string>();
    for (const { seq, kind } of marks) byKind.set(kind, `${byKind.get(kind) ?? ''}M${place(seq).toFixed(1)} 2v12`);
    return [...byKind];
  }, [marks, head]);
  return (
    <svg class="timeline" viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" aria-hidden="true">
      <path class="past" d={`M0 8H${place(at)}`} />
      <path class="rest" d={`M${place(at)} 8H${WIDTH}`} />
      {ticks.map(([kind, line]) => (
        <path key={kind} class={`tick mark-${kind}`} d={line} />
      ))}
    </svg>
  );
}
