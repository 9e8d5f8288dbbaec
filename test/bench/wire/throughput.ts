/** Throughput of each server in a closed loop, in several shapes. */

import type { Figure } from '../figure.ts';
import { inTurn, median } from '../pairs.ts';
import type { Kind, Rigs } from './rigs.ts';
import { perSecond, type WireSetting } from './setting.ts';

type Rival = Exclude<Kind, 'parley'>;

interface Bar {
  readonly must: number;
  readonly aim: number;
}

interface Shape {
  readonly sessions: number;
  readonly inFlight: number;
  readonly parties: 2 | 4;
  readonly bars: Readonly<Partial<Record<Rival, Bar>>>;
}

const RIVALS: Readonly<Record<Rival, string>> = {
  plain: '(a) plain JSON relay',
  corked: '(b) corked JSON relay',
  commit: '(c) corked relay with a group commit',
};

const SHAPES: readonly Shape[] = [
  { sessions: 1, inFlight: 1, parties: 2, bars: { commit: { must: 0.8, aim: 0.95 } } },
  { sessions: 1, inFlight: 8, parties: 2, bars: {} },
  { sessions: 64, inFlight: 1, parties: 2, bars: { plain: { must: 0.55, aim: 0.8 } } },
  {
    sessions: 64,
    inFlight: 8,
    parties: 2,
    bars: { plain: { must: 1, aim: 1.8 }, corked: { must: 0.5, aim: 0.75 }, commit: { must: 0.55, aim: 0.8 } },
  },
  { sessions: 256, inFlight: 1, parties: 2, bars: {} },
  { sessions: 256, inFlight: 8, parties: 2, bars: {} },
  { sessions: 64, inFlight: 1, parties: 4, bars: {} },
  { sessions: 64, inFlight: 8, parties: 4, bars: {} },
];

function figureName({ sessions, inFlight, parties }: Shape, rival: Rival): string {
  return `wire_${sessions}x${inFlight}${parties === 2 ? '' : `_${parties}_parties`}_vs_${rival}`;
}

function namesOf(shape: Shape): string[] {
  return (Object.keys(RIVALS) as Rival[]).map((rival) => figureName(shape, rival));
}

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
