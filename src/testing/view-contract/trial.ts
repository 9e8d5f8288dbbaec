/** A view under test with its options and random sessions. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { EarlierLines, View, ViewLine, ViewMessage } from '../../core/ports/view.ts';
import { HUB_ID, PLAIN } from '../../core/records/session/envelope.ts';
import { idOf } from '../lib/history.ts';
import { type Random, seededRandom } from '../lib/random.ts';

/** All optional; pass parameters if the view requires them. */
export interface ViewCheckOptions {
  /** Parameters to render with; default {}. */
  readonly params?: readonly JsonObject[];
  /** Parameters that `parseParams` must reject. */
  readonly badParams?: readonly JsonObject[];
}

/** The lines that one participant may see, oldest first. */
type Scene = readonly ViewLine[];

export interface ViewTrial {
  readonly view: View;
  readonly given: readonly JsonObject[];
  readonly badParams: readonly JsonObject[];
  readonly scenes: readonly Scene[];
}

export interface RenderResult {
  readonly params: JsonObject;
  readonly scene: Scene;
  readonly shown: Scene;
  readonly earlier: EarlierLines;
  readonly messages: readonly ViewMessage[];
}

const SCENES = 40;
const NAMES = ['alice', 'bob', 'carol'];
const VIEWER = 'bob';

export function viewTrial(view: View, { params = [{}], badParams = [] }: ViewCheckOptions): ViewTrial {
  const scenes = Array.from({ length: SCENES }, (_, seed) => randomScene(seededRandom(seed), seed));
  return { view, given: params, badParams, scenes };
}

export function renderAll({ view, given, scenes }: ViewTrial): readonly RenderResult[] {
  return given.flatMap((params) => scenes.map((scene) => renderScene(view, view.parseParams(params), scene)));
}

/** Offers the newest lines first until the view has enough, as the hub does. */
export function renderScene(view: View, params: JsonObject, scene: Scene): RenderResult {
  const takes = view.window(params);
  const stop = scene.findLastIndex((line) => !takes(line));
  const shown = scene.slice(stop + 1);
  const before = scene.slice(0, stop + 1);
  const names = [...NAMES, HUB_ID].filter((name) => before.some((line) => line.name === name));
  const earlier = { count: before.length, names };
  // Lines from a frozen scene are frozen too.
  if (Object.isFrozen(scene)) for (const made of [shown, names, earlier]) Object.freeze(made);
  return { params, scene, shown, earlier, messages: view.show(shown, earlier, params) };
}

/** A scene of `length` random lines, with gaps between their seqs. */
function randomScene(random: Random, length: number): Scene {
  let seq = 3;
  return Array.from({ length }, () => {
    seq += 1 + random.below(3);
    const name = random.pick([...NAMES, ...NAMES, HUB_ID]);
    return lineOf(seq, name, Array.from({ length: 1 + random.below(3) }, () => random.pick(TEXTS)).join(''));
  });
}

/** Ordinary texts, texts that imitate other speakers, and the empty text. */
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
