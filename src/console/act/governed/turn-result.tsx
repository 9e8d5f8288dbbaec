/** Form in which a person who holds a role of a governed run submits a turn result. */

import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import '../act.css';
import { lineOf, readJson } from '../../lib/read-json.ts';
import { toRunHistory } from '../../parts/governed/model/run-history.ts';
import type { OpenSession } from '../../state/session/open-session.ts';
import { Line } from '../../text/untrusted-text.tsx';
import { Refusal } from '../../widgets/widgets.tsx';
import { saveDraft, savedDraft, sendMessage } from '../compose/message-draft.ts';
import { resultTemplate, type TurnDue } from './turn-due.ts';
import { TurnPrompt } from './turn-prompt.tsx';

interface Props {
  readonly session: OpenSession;
  readonly due: TurnDue;
  readonly config: unknown;
}

export function TurnResult({ session, due, config }: Props) {
  const key = `${session.id} ${due.turn_id} ${due.attempt}`;
  return (
    <details key={key} class="turn-result" open>
      <summary>
        <span role="status">
          <Line text={`Your turn as ${due.role}: ${due.turn_id}, attempt ${due.attempt}.`} most={200} />
        </span>
      </summary>
      <TurnPrompt session={session} turnId={due.turn_id} />
      <ResultForm place={key} session={session} due={due} config={config} />
    </details>
  );
}

function ResultForm({ place, session, due, config }: Props & { place: string }) {
  const id = useId();
  const [text, setText] = useState(
    () => savedDraft(place).text || JSON.stringify(resultTemplate(due, config), null, 2),
  );
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => saveDraft(place, { text, to: [] }), [place, text]);
  const rejection = useMemo(() => rejectionOf(session, due), [session.log.envelopes, due.turn_id]);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const read = readJson(text);
    if (!read.ok) {
      const { line, column } = lineOf(text, read.at);
      return setProblem(`Line ${line}, column ${column}: ${read.message}`);
    }
    setBusy(true);
    setProblem(null);
    const event_data = { turn_id: due.turn_id, attempt: due.attempt, result: read.value };
    const outcome = await sendMessage(place, { session_id: session.id, event_type: 'turn.result', event_data });
    setBusy(false);
    if (outcome.ok) saveDraft(place, { text: '', to: [] });
    else setProblem(outcome.reason);
  };
  return (
    <form class="composer" aria-label="Turn result" onSubmit={(event) => void submit(event)}>
      {rejection.map((line) => (
        <p key={line} class="refusal">
          <Line text={line} most={400} />
        </p>
      ))}
      <label for={id}>Result (JSON)</label>
      <textarea
        id={id}
        class="mono"
        rows={6}
        spellcheck={false}
        value={text}
        readOnly={isBusy}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem`}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Refusal id={`${id}-problem`} why={problem} />
      <div class="composer-row">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Submitting…' : 'Submit'}
        </button>
      </div>
    </form>
  );
}

/** The reason and errors of the turn's latest rejection; empty for the first attempt. */
function rejectionOf({ log }: OpenSession, due: TurnDue): readonly string[] {
  const last =
    due.attempt > 1 ? toRunHistory(log.envelopes).rejections.findLast((one) => one.turn_id === due.turn_id) : null;
  return last == null ? [] : [`Rejected: ${last.reason}`, ...last.errors];
}
