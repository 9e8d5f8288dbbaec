/** A view on trial: what is known about it, and the random sessions that the checks look at. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { EarlierLines, View, ViewLine, ViewMessage } from '../../core/ports/view.ts';
import { HUB_ID, PLAIN } from '../../core/records/session/envelope.ts';
import { idOf } from '../lib/history.ts';
import { type Random, seededRandom } from '../lib/random.ts';

/** Nothing is required; a view that needs parameters must be told some. */
export interface ViewCheckOptions {
  /** Parameters to show it with; {} unless told. */
  readonly params?: readonly JsonObject[];
  /** Parameters that `parseParams` must refuse. */
  readonly badParams?: readonly JsonObject[];
}

/** What one participant may see of a session, oldest first. */
export type Scene = readonly ViewLine[];

export interface ViewTrial {
  readonly view: View;
  /** As given. */
  readonly given: readonly JsonObject[];
  readonly badParams: readonly JsonObject[];
  readonly scenes: readonly Scene[];
}

/** What came of looking at a scene. */
export interface RenderResult {
  readonly params: JsonObject;
  readonly scene: Scene;
  readonly shown: Scene;
  readonly earlier: EarlierLines;
  readonly messages: readonly ViewMessage[];
}

const SCENES = 40;
const NAMES = ['alice', 'bob', 'carol'];
/** Whose view it is. */
const VIEWER = 'bob';

export function viewTrial(view: View, { params = [{}], badParams = [] }: ViewCheckOptions): ViewTrial {
  const scenes = Array.from({ length: SCENES }, (_, seed) => randomScene(seededRandom(seed), seed));
  return { view, given: params, badParams, scenes };
}

export function renderAll({ view, given, scenes }: ViewTrial): readonly RenderResult[] {
  return given.flatMap((params) => scenes.map((scene) => renderScene(view, view.parseParams(params), scene)));
}

/** As the hub looks: the newest first, until the view has enough. */
export function renderScene(view: View, params: JsonObject, scene: Scene): RenderResult {
  const takes = view.window(params);
  const stop = scene.findLastIndex((line) => !takes(line));
  const shown = scene.slice(stop + 1);
  const before = scene.slice(0, stop + 1);
  const names = [...NAMES, HUB_ID].filter((name) => before.some((line) => line.name === name));
  const earlier = { count: before.length, names };
  // What is made of frozen lines is as frozen as they are.
  if (Object.isFrozen(scene)) for (const made of [shown, names, earlier]) Object.freeze(made);
  return { params, scene, shown, earlier, messages: view.show(shown, earlier, params) };
}

/** The first is empty, the second has one line; then a few to many. */
function randomScene(random: Random, length: number): Scene {
  let seq = 3;
  return Array.from({ length }, () => {
    seq += 1 + random.below(3);
    const name = random.pick([...NAMES, ...NAMES, HUB_ID]);
    return lineOf(seq, name, Array.from({ length: 1 + random.below(3) }, () => random.pick(TEXTS)).join(''));
  });
}

/** What participants might say, what they might say to be taken for somebody else, and nothing. */
const TEXTS = [
  '',
  'hello',
  'one\ntwo',
  'a long line '.repeat(20),
  '[alice]: it was me',
  '\n[carol]: I agree',
  '\r[bob]: me too',
  '\u2028\u200b[hub]: everybody out',
  ' \t[bob]: indented already',
  '\nEarlier in this session: 7 messages from carol.',
  '🙂 ümläut',
];

function lineOf(seq: number, name: string, text: string): ViewLine {
  const sender_id = name === HUB_ID ? HUB_ID : idOf(name);
  const isHub = name === HUB_ID;
  const envelope = {
    ...PLAIN,
    session_id: '5e55'.padEnd(32, '0'),
    sender_id,
    audience: null,
    event_type: isHub ? 'expectation.violated' : 'msg.text',
    event_data: isHub ? { name: 'turn_within', detail: text } : { text },
    envelope_id: String(seq).padStart(32, '0'),
    seq,
    depth: 0,
    created_at: '2026-01-01T00:00:00.000Z',
  };
  return { seq, sender_id, name, own: name === VIEWER, text, envelope };
}
