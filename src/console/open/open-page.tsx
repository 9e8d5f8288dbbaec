/** A session is opened: the form of its type, and what the hub says of it at the field it is about. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import type { JsonObject } from '../../core/lib/json.ts';
import type { SessionType } from '../../core/protocol/operations/console-sessions.ts';
import type { CreateParams } from '../../core/records/session/create-params.ts';
import { callRead, reasonOf } from '../connection/read-operations.ts';
import { activeErrors, type CreateDraft, newDraft, type RejectedDraft } from '../parts/create/create-draft.ts';
import { CreateForm } from '../parts/create/create-form.tsx';
import type { Delays } from '../parts/graph-editor/latest.ts';
import { go } from '../state/navigation.ts';
import { showNotice } from '../state/notice-actions.ts';
import { useConsole } from '../state/use-store.ts';
import { Line } from '../text/untrusted-text.tsx';
import { openSession, saveDraft, savedDraft } from './create-session.ts';

const delays: Delays = {
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export function OpenPage() {
  const isReadOnly = useConsole((state) => state.readOnly);
  return (
    <div class="page open-page">
      <h1>Open a session</h1>
      {isReadOnly ? <p>Nothing is opened in read-only mode.</p> : <Opening />}
    </div>
  );
}

interface Choices {
  readonly types: readonly SessionType[];
  readonly agents: readonly string[];
}

function Opening() {
  const [choices, setChoices] = useState<Choices | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let counts = true;
    readChoices().then(
      (read) => counts && setChoices(read),
      (thrown) => counts && setFailure(reasonOf(thrown)),
    );
    return () => {
      counts = false;
    };
  }, []);
  if (failure !== null) {
    return (
      <p class="refusal" role="alert">
        <Line text={failure} most={400} />
      </p>
    );
  }
  const [first] = choices?.types ?? [];
  if (choices === null || first === undefined) return <p class="dim">Reading…</p>;
  return <Form choices={choices} first={first} />;
}

function Form({ choices: { types, agents }, first }: { choices: Choices; first: SessionType }) {
  const me = useConsole((state) => state.me?.name ?? '');
  const [draft, setDraft] = useState<CreateDraft>(() => savedDraft(me) ?? newDraft(first.manifest));
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<RejectedDraft | null>(null);
  const { type } = draft;
  // The same as long as the type is: another one would be asked anew.
  const check = useCallback((graph: JsonObject) => callRead('check_graph', { graph, type }), [type]);
  const change = (next: CreateDraft): void => {
    saveDraft(me, next);
    setDraft(next);
  };
  const create = async (params: CreateParams): Promise<void> => {
    setBusy(true);
    setRefused(null);
    const opened = await openSession(params);
    setBusy(false);
    if (!opened.ok) return setRefused({ draft, errors: opened.errors });
    for (const words of opened.warnings) showNotice('done', `Opened; but ${words}`);
    go({ page: 'session', sessionId: opened.sessionId, atSeq: null, as: null });
  };
  return (
    <CreateForm
      types={types}
      agents={agents}
      me={me}
      draft={draft}
      onDraft={change}
      onCreate={(params) => void create(params)}
      isBusy={isBusy}
      refused={refused === null ? [] : activeErrors(refused, draft)}
      check={check}
      delays={delays}
    />
  );
}

async function readChoices(): Promise<Choices> {
  const [{ types }, { agents }] = await Promise.all([
    callRead('list_types', {}),
    callRead('list_agents', { limit: 100 }),
  ]);
  return { types, agents: agents.map(({ name }) => name) };
}
