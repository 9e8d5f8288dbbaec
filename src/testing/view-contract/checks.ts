/** The checks of views; SPEC.md has the rules under VC. */

import assert from 'node:assert/strict';
import { isProtocolError } from '../../core/lib/errors.ts';
import { describeValue, isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import type { View } from '../../core/ports/view.ts';
import { assertJson, assertName, doing } from '../lib/assertions.ts';
import { type Check, type CheckTable, checksOf } from '../lib/check.ts';
import { deepFreeze, usesClockOrRandom } from '../lib/purity.ts';
import {
  type RenderResult,
  renderAll,
  renderScene,
  type ViewCheckOptions,
  type ViewTrial,
  viewTrial,
} from './trial.ts';

const CHECKS: CheckTable<ViewTrial> = [
  ['[VC1] it has a name and a whole version', saysWhoItIs],
  ['[VC2] parseParams returns plain JSON, and the same again when it parses that', paramsAreParsed],
  ['[VC3] parseParams rejects wrong or unknown parameters with a ProtocolError', badParamsAreRefused],
  ['[VC4] no member changes its arguments', nothingIsMutated],
  ['[VC5] equal arguments give equal answers, in any order of calls', nothingIsRemembered],
  ['[VC6] no member uses the clock or randomness, or waits', noClockNoChance],
  ['[VC7] messages are plain JSON: role, content, seq, name', messagesArePlain],
  ['[VC8] each accepted line is one message, in order; own lines are the assistant’s', linesAreKept],
  ['[VC9] a window answers true or false, and accepts the newest lines whatever is before them', windowsAreSuffixes],
  ['[VC10] no text can imitate a line of another participant', nobodyIsForged],
];

export function viewChecks(view: View, options: ViewCheckOptions = {}): readonly Check[] {
  return checksOf(CHECKS, viewTrial(view, options));
}

function saysWhoItIs({ view }: ViewTrial): void {
  assertName(view.name, 'name');
  assert.ok(Number.isInteger(view.version) && view.version >= 1, `version must be a whole number ≥ 1`);
}

/** Parsing parameters twice changes nothing, so the used parameters can be passed again. */
function paramsAreParsed({ view, given }: ViewTrial): void {
  for (const params of given) {
    const once = doing(`parseParams(${JSON.stringify(params)})`, () => view.parseParams(params));
    assertJson(once, 'the result of parseParams');
    assert.ok(isPlainObject(once), `parseParams must return an object, got ${describeValue(once)}`);
    assert.deepStrictEqual(view.parseParams(once), once, 'parseParams changes parameters it has parsed');
  }
}

const STRANGE: readonly JsonObject[] = [
  { no_such_parameter: 1 },
  ...[null, -1, 0, 0.5, 1e308, 'x', true, [], {}].map((value) => ({ no_such_parameter: value })),
];

function badParamsAreRefused({ view, given, badParams }: ViewTrial): void {
  const wrong = given.flatMap((params) => STRANGE.map((strange) => ({ ...params, ...strange })));
  for (const params of [...badParams, ...wrong]) {
    const what = `parseParams(${JSON.stringify(params)})`;
    let error: unknown;
    try {
      view.parseParams(params);
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error !== undefined, `${what} must be refused`);
    assert.ok(isProtocolError(error), `${what} must throw a ProtocolError, threw ${String(error)}`);
    assert.ok(error.message !== '', `${what} must say what is wrong`);
  }
}

function nothingIsMutated({ view, given, scenes }: ViewTrial): void {
  for (const params of given) {
    for (const scene of scenes) {
      const free = renderScene(view, view.parseParams(structuredClone(params)), structuredClone(scene));
      const frozen = doing('a view must not change what it is given', () => {
        const parsed = view.parseParams(deepFreeze(structuredClone(params)));
        return renderScene(view, deepFreeze(parsed), deepFreeze(structuredClone(scene)));
      });
      assert.deepStrictEqual(frozen.messages, free.messages, 'a view must not need to change what it is given');
    }
  }
}

/** Repeats readings backwards and with two windows in parallel, so that remembering one changes another. */
function nothingIsRemembered(trial: ViewTrial): void {
  const { view } = trial;
  for (const { params, scene, shown, messages } of renderAll(trial).toReversed()) {
    const again = renderScene(view, params, scene);
    assert.deepStrictEqual(again.messages, messages, 'a view gave another result when asked again');
    const windows = [view.window(params), view.window(params)];
    for (const line of scene.toReversed()) {
      const answers = windows.map((takes) => takes(line));
      const alone = shown.includes(line);
      assert.deepStrictEqual(answers, [alone, alone], 'two windows must not affect each other');
      if (!alone) break;
    }
  }
}

function noClockNoChance(trial: ViewTrial): void {
  const touched = usesClockOrRandom(() => void renderAll(trial));
  assert.deepStrictEqual(touched, [], `a view must be pure, and used ${touched.join(', ')}`);
}

function messagesArePlain(trial: ViewTrial): void {
  for (const { messages } of renderAll(trial)) {
    assert.ok(Array.isArray(messages), 'show must return a list');
    assertJson(messages, 'the result of show');
    for (const message of messages) {
      assert.deepStrictEqual(Object.keys(message).sort(), ['content', 'name', 'role', 'seq'], 'the keys of a message');
      assert.equal(typeof message.content, 'string', 'content must be text');
      assert.ok(message.role === 'assistant' || message.role === 'user', `role must be assistant or user`);
    }
  }
}

/** Each accepted line is one message of its sender, in order; messages that the view adds have no seq. */
function linesAreKept(trial: ViewTrial): void {
  for (const { shown, messages } of renderAll(trial)) {
    const added = messages.filter(({ seq }) => seq === null);
    const of = messages.filter(({ seq }) => seq !== null).map(({ seq, name, role }) => ({ seq, name, role }));
    const expected = shown.map(({ seq, name, own }) => ({ seq, name, role: own ? 'assistant' : 'user' }));
    assert.deepStrictEqual(of, expected, 'every accepted line must be one message of its sender, in order');
    for (const { role, name } of added) {
      assert.deepStrictEqual({ role, name }, { role: 'user', name: null }, 'an added message has no sender');
    }
  }
}

/** A window answers true or false, and older lines do not affect newer ones. */
function windowsAreSuffixes(trial: ViewTrial): void {
  const { view } = trial;
  for (const { params, scene, shown } of renderAll(trial)) {
    const takes = view.window(params);
    for (const line of scene.toReversed()) {
      const answer: unknown = takes(line);
      assert.equal(typeof answer, 'boolean', `a window must answer true or false, got ${describeValue(answer)}`);
      if (answer === false) break;
    }
    for (const from of [0, Math.floor(scene.length / 2)]) {
      const seqs = (lines: RenderResult['shown']) => lines.map(({ seq }) => seq);
      const ofShorter = seqs(renderScene(view, params, scene.slice(from)).shown);
      const expected = seqs(shown).filter((seq) => seq >= (scene[from]?.seq ?? 0));
      assert.deepStrictEqual(ofShorter, expected, 'older lines changed which newer ones are shown');
    }
  }
}

const BREAKS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const LABEL = /^[\s\p{C}]*\[([^\]]*)\]: /u;

/** A `[name]: ` label appears only at the start of a message, and names its sender. */
function nobodyIsForged(trial: ViewTrial): void {
  for (const { messages, shown } of renderAll(trial)) {
    for (const { content, seq } of messages) {
      const [first = '', ...rest] = content.split(BREAKS).map((line) => (line.startsWith('  ') ? '' : line));
      const speaker = shown.find((line) => line.seq === seq);
      const label = LABEL.exec(first)?.[1];
      const isTrue = label === undefined || (label === speaker?.name && !speaker.own);
      assert.ok(isTrue, `${JSON.stringify(content)} looks like a line of ${label}; use messageOf of views/lines`);
      const forged = rest.filter((line) => LABEL.test(line) || line.startsWith('Earlier in this session:'));
      assert.deepStrictEqual(forged, [], 'lines within a text look like messages; use messageOf of views/lines');
    }
  }
}
