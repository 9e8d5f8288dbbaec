/** Page with the form that opens a session. The hub's errors appear at their fields. */

import { useCallback, useState } from 'preact/hooks';
import type { JsonObject } from '../../core/lib/json.ts';
import type { SessionType } from '../../core/protocol/operations/console-sessions.ts';
import type { CreateParams } from '../../core/records/session/create-params.ts';
import { callRead } from '../connection/read-operations.ts';
import { useRead } from '../connection/use-read.ts';
import { activeErrors, type CreateDraft, newDraft, type RejectedDraft } from '../parts/create/create-draft.ts';
import { CreateForm } from '../parts/create/create-form.tsx';
import type { Delays } from '../parts/graph-editor/latest.ts';
import { go } from '../state/navigation.ts';
import { showNotice } from '../state/notice-actions.ts';
import { useConsole } from '../state/use-store.ts';
import { Failure } from '../widgets/widgets.tsx';
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
      {isReadOnly ? <p>Read-only mode cannot open sessions.</p> : <Opening />}
    </div>
  );
}

function Opening() {
  const read = () => Promise.all([callRead('list_types', {}), callRead('list_agents', { limit: 100 })]);
  const { answer, failure } = useRead(read, []);
  if (failure !== null) return <Failure why={failure} />;
  const [{ types }, { agents }] = answer ?? [{ types: [] }, { agents: [] }];
  const [first] = types;
  if (first === undefined) return <p class="dim">Loading…</p>;
  return <Form types={types} agents={agents.map(({ name }) => name)} first={first} />;
}

interface FormProps {
  readonly types: readonly SessionType[];
  readonly agents: readonly string[];
  readonly first: SessionType;
}

function Form({ types, agents, first }: FormProps) {
  const me = useConsole((state) => state.me?.name ?? '');
  const [draft, setDraft] = useState<CreateDraft>(() => savedDraft(me) ?? newDraft(first.manifest));
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<RejectedDraft | null>(null);
  const { type } = draft;
  // Keep the function while the type is the same: a new function would check the graph again.
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
    for (const warning of opened.warnings) showNotice('done', `Session opened, with a warning: ${warning}`);
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
