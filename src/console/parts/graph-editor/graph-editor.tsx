/** Edits a graph as text and draws it while the person types. Each error links to its place in the text. */

import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { asError } from '../../../core/lib/errors.ts';
import { isPlainObject, type JsonObject } from '../../../core/lib/json.ts';
import '../parts.css';
import '../form/form.css';
import './graph-editor.css';
import type { VNode } from 'preact';
import { readJson } from '../../lib/read-json.ts';
import { longText } from '../../text/visible-text.ts';
import type { FieldError } from '../form/field-errors.ts';
import { GraphDrawing } from '../graph/graph-drawing.tsx';
import { findProblems, type GraphCheck, type Problem } from './graph-problems.ts';
import { type Delays, latest } from './latest.ts';
import { TEMPLATES } from './templates.ts';

interface GraphEditorProps {
  readonly label: string;
  /** The typed JSON text. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Asks the hub to check a graph (`check_graph`). */
  readonly check: (graph: JsonObject) => Promise<GraphCheck>;
  /** Names of the participants, for templates. The editor reports other names in the graph. */
  readonly people: readonly string[];
  /** True if there may be further participants with unknown names. */
  readonly mayBeOthers?: boolean;
  readonly delays: Delays;
  /** The hub's errors when it rejected the session. */
  readonly refused?: readonly FieldError[];
}

const WAIT_MS = 250;
const NONE: readonly FieldError[] = [];

export function GraphEditor(props: GraphEditorProps): VNode {
  const { label, text, onText, people, mayBeOthers = false, refused = NONE } = props;
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const read = useMemo(() => (text.trim() === '' ? null : readJson(text)), [text]);
  const graph = read?.ok === true && isPlainObject(read.value) ? read.value : null;
  const { checked, drawn, failure } = useChecked(props, graph);
  const problems = findProblems({ text, read, checked, failure, people: mayBeOthers ? null : people, refused });
  const isEarlier = drawn !== null && (graph === null || drawn !== checked);
  const goTo = ({ at }: Problem) => {
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  return (
    <div class="graph-editor">
      <div class="graph-editor-text">
        <label class="form-label" for={id}>
          {label}
        </label>
        <Templates people={people} onChoose={(graph) => onText(JSON.stringify(graph, null, 2))} />
        <Problems id={`${id}-problems`} problems={problems} onGoTo={goTo} />
        <textarea
          ref={area}
          id={id}
          class="form-input form-input-json graph-editor-area"
          rows={18}
          spellcheck={false}
          autocomplete="off"
          value={text}
          aria-invalid={problems.some(({ kind }) => kind === 'error')}
          aria-describedby={`${id}-problems`}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </div>
      <div class="graph-editor-picture">
        {isEarlier && <p class="graph-editor-earlier">This drawing shows an earlier text.</p>}
        <GraphDrawing graph={drawn} />
      </div>
    </div>
  );
}

interface Checked {
  /** The newest answer; null if there is none, or if the last check failed. */
  readonly checked: GraphCheck | null;
  /** The newest drawable answer, kept while the text is not a graph. */
  readonly drawn: GraphCheck | null;
  readonly failure: string | null;
}

const NOT_YET: Checked = { checked: null, drawn: null, failure: null };

function useChecked({ check, delays }: GraphEditorProps, graph: JsonObject | null): Checked {
  const [state, setState] = useState<Checked>(NOT_YET);
  const asking = useMemo(
    () =>
      latest<JsonObject, GraphCheck>({
        delays,
        waitMs: WAIT_MS,
        ask: check,
        onAnswer: (checked) =>
          setState(({ drawn }) => ({ checked, drawn: checked.nodes.length > 0 ? checked : drawn, failure: null })),
        onFailure: (thrown) => setState(({ drawn }) => ({ checked: null, drawn, failure: asError(thrown).message })),
      }),
    [check, delays],
  );
  useEffect(() => () => asking.close(), [asking]);
  useEffect(() => {
    if (graph !== null) asking.ask(graph);
  }, [asking, graph]);
  return state;
}

interface TemplatesProps {
  readonly people: readonly string[];
  readonly onChoose: (graph: JsonObject) => void;
}

function Templates({ people, onChoose }: TemplatesProps): VNode {
  return (
    <div class="graph-editor-templates">
      <span class="form-help">Start from:</span>
      {TEMPLATES.map(({ name, title, help, make }) => (
        <button
          key={name}
          type="button"
          class="form-button"
          title={help}
          disabled={people.length === 0}
          onClick={() => onChoose(make(people))}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

interface ProblemsProps {
  readonly id: string;
  readonly problems: readonly Problem[];
  readonly onGoTo: (problem: Problem) => void;
}

function Problems({ id, problems, onGoTo }: ProblemsProps): VNode {
  return (
    <div id={id} class="graph-problems" role="status">
      {problems.length > 0 && (
        <ul>
          {problems.map((problem, i) => (
            <li key={i} class={`graph-problem graph-problem-${problem.kind}`}>
              <button type="button" class="graph-problem-place" onClick={() => onGoTo(problem)}>
                line {problem.line}, column {problem.column}
              </button>
              <span class="part-unseen">{problem.kind}: </span>
              {longText(problem.message)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
