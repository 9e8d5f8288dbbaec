/** Shows single parts of the console with `window.given` from the test, and collects their answers in `window.told`. */

import { render, type VNode } from 'preact';
import { useState } from 'preact/hooks';
import '../../../../src/console/style/base.css';
import './page.css';
import { Sparkline } from '../../../../src/console/parts/chart/sparkline.tsx';
import { newDraft } from '../../../../src/console/parts/create/create-draft.ts';
import { CreateForm } from '../../../../src/console/parts/create/create-form.tsx';
import { emptyDraft } from '../../../../src/console/parts/form/draft.ts';
import { fieldOf } from '../../../../src/console/parts/form/field.ts';
import { readForm } from '../../../../src/console/parts/form/read-form.ts';
import { SchemaForm } from '../../../../src/console/parts/form/schema-form.tsx';
import { GovernedPanel } from '../../../../src/console/parts/governed/governed-panel.tsx';
import { toRunHistory } from '../../../../src/console/parts/governed/model/run-history.ts';
import { GraphDrawing } from '../../../../src/console/parts/graph/graph-drawing.tsx';
import { GraphEditor } from '../../../../src/console/parts/graph-editor/graph-editor.tsx';
import type { Delays } from '../../../../src/console/parts/graph-editor/latest.ts';
import { ticker } from '../../../../src/console/time/ticker.ts';
import { Ago, Countdown, TickerContext } from '../../../../src/console/time/times.tsx';

// The test sets untyped members of the window.
// biome-ignore lint/suspicious/noExplicitAny: as above.
const page = window as any;
page.told = [];
const tell = (what: unknown) => page.told.push(what);

const delays: Delays = {
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};
let tick = () => {};
page.now = 1_800_000_000_000;
page.tick = (ms: number) => {
  page.now += ms;
  tick();
};
const clock = ticker({
  now: () => page.now,
  every(_ms, task) {
    tick = task;
    return () => {
      tick = () => {};
    };
  },
});

function FormScene(): VNode {
  const field = fieldOf(page.given.schema, 'Knobs', true);
  const [draft, setDraft] = useState(emptyDraft(field));
  const { value, errors } = readForm(field, draft, 'knobs');
  page.value = value;
  return <SchemaForm field={field} path="knobs" draft={draft} onDraft={setDraft} errors={errors} />;
}

function EditorScene(): VNode {
  const [text, setText] = useState(page.given.text);
  page.text = text;
  const { checkGraph, given } = page;
  return <GraphEditor {...given} label="Graph" text={text} onText={setText} check={checkGraph} delays={delays} />;
}

function CreateScene(): VNode {
  const { types, agents, refused = [] } = page.given;
  const [draft, setDraft] = useState(newDraft(types[0].manifest));
  const rest = { types, agents, refused, delays, me: 'me', isBusy: false, check: page.checkGraph };
  return <CreateForm {...rest} draft={draft} onDraft={setDraft} onCreate={tell} />;
}

function GovernedScene(): VNode {
  const { log, refusal, ...given } = page.given;
  const answer = async (gateAnswer: unknown) => {
    tell(gateAnswer);
    if (refusal !== undefined) throw new Error(refusal);
  };
  return <GovernedPanel {...given} book={toRunHistory(log)} onGateAnswer={answer} />;
}

function ChartScene(): VNode {
  return (
    <div class="charts">
      {page.given.charts.map((chart: { label: string; unit: string; series: [] }) => (
        <Sparkline key={chart.label} {...chart} />
      ))}
    </div>
  );
}

function TimeScene(): VNode {
  const { times } = page.given;
  return (
    <ul>
      {times.map((at: string) => (
        <li key={at}>
          <Countdown at={at} /> / <Ago at={at} />
        </li>
      ))}
    </ul>
  );
}

const SCENES: Readonly<Record<string, () => VNode>> = {
  graph: () => <GraphDrawing {...page.given} />,
  form: () => <FormScene />,
  editor: () => <EditorScene />,
  create: () => <CreateScene />,
  governed: () => <GovernedScene />,
  chart: () => <ChartScene />,
  time: () => <TimeScene />,
};

page.show = (scene: string, given: unknown) => {
  const root = document.getElementById('page');
  if (root === null) throw new Error('the page has no element with id "page"');
  render(null, root);
  page.given = given;
  page.told.length = 0;
  render(
    <TickerContext.Provider value={clock}>
      <h1>{scene}</h1>
      {SCENES[scene]?.()}
    </TickerContext.Provider>,
    root,
  );
};
