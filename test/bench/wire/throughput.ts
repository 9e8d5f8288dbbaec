/** Throughput of each server in a closed loop, in several shapes. */

import type { Figure } from '../figure.ts';
import { median } from '../pairs.ts';
import { inTurn } from './in-turn.ts';
import type { Kind } from './rig.ts';
import type { Rigs } from './rigs.ts';
import { perSecond, type WireSetting } from './setting.ts';
import { figureName, namesOf, RIVALS, type Rival, SHAPES, type Shape } from './shapes.ts';

export const THROUGHPUT_NAMES: readonly string[] = SHAPES.flatMap(namesOf);

export async function throughput(rigs: Rigs, setting: WireSetting): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const shape of SHAPES) {
    if (namesOf(shape).some(setting.wants)) figures.push(...(await measured(rigs, shape, setting)));
  }
  return figures;
}

async function measured(rigs: Rigs, shape: Shape, { sizes, note }: WireSetting): Promise<readonly Figure[]> {
  const { inFlight, parties, bars } = shape;
  const sessions = Math.min(shape.sessions, sizes.rooms);
  note(`throughput: ${sessions} sessions × ${inFlight} in flight, ${parties} parties`);
  const talk = { layout: rigs.layoutOf[parties], rooms: sessions, ms: sizes.roundMs };
  const rate = (kind: Kind) => () => rigs.of(kind).closed(talk, sessions * inFlight);
  const measures = { plain: rate('plain'), corked: rate('corked'), commit: rate('commit'), parley: rate('parley') };
  const rounds = await inTurn(Object.keys(bars).length > 0 ? sizes.rounds : sizes.sideRounds, measures);
  const middle = (kind: Kind) => perSecond(median(rounds.map((round) => round[kind])));
  return (Object.keys(RIVALS) as Rival[]).map((rival) => ({
    name: figureName(shape, rival),
    what: `${sessions} sessions × ${inFlight}, ${parties} parties, posts/s ÷ ${RIVALS[rival]}`,
    measured: middle('parley'),
    raw: middle(rival),
    value: median(rounds.map((round) => round.parley / round[rival])),
    must: bars[rival]?.must ?? null,
    aim: bars[rival]?.aim ?? null,
    better: 'more',
  }));
}
