/** The cost of very many open sessions, or connections, relative to a corked relay. */

import type { Figure } from '../figure.ts';
import { inTurn, median } from '../pairs.ts';
import { Rig } from './rigs.ts';
import type { Layout } from './rooms.ts';
import { ending, perSecond, type WireBench, type WireSetting } from './setting.ts';

const IN_FLIGHT = 40;
const [FEW_SESSIONS, FEW_CONNECTIONS] = [10, 10];

interface Growth {
  readonly name: string;
  readonly what: string;
  readonly few: Layout;
  readonly many: Layout;
  /** Rooms with posts, of the few and of the many. */
  readonly talking: readonly [number, number];
}

export const growth: WireBench = {
  names: ['wire_sessions', 'wire_sessions_all_talk', 'wire_connections'],

  async run(setting) {
    const figures: Figure[] = [];
    const { sessions, connections } = setting.sizes;
    const pairs = FEW_CONNECTIONS / 2;
    const [few, many] = [
      { groups: pairs, parties: 2, rooms: FEW_SESSIONS },
      { groups: pairs, parties: 2, rooms: sessions },
    ];
    const wide = { groups: connections / 2, parties: 2, rooms: connections / 2 };
    const shown = [sessions.toLocaleString('en'), connections.toLocaleString('en')];
    const [bySessions, allTalk, byConnections] = [
      { name: 'wire_sessions', what: `${shown[0]} open sessions ÷ 10, the same 10 are talked in`, few, many },
      { name: 'wire_sessions_all_talk', what: `${shown[0]} open sessions ÷ 10, all are talked in`, few, many },
      {
        name: 'wire_connections',
        what: `${shown[1]} connections ÷ 10, all talk`,
        few: { ...few, rooms: pairs },
        many: wide,
      },
    ] as const;
    const sessionGrowths = [
      { ...bySessions, talking: [FEW_SESSIONS, FEW_SESSIONS] as const },
      { ...allTalk, talking: [FEW_SESSIONS, sessions] as const },
    ];
    figures.push(...(await measured(setting, sessionGrowths)));
    figures.push(...(await measured(setting, [{ ...byConnections, talking: [pairs, wide.rooms] as const }])));
    return figures;
  },
};

async function measured(setting: WireSetting, growths: readonly Growth[]): Promise<readonly Figure[]> {
  const wanted = growths.filter(({ name }) => setting.wants(name));
  const [first] = wanted;
  if (first === undefined) return [];
  const { sizes, folder, profile, note } = setting;
  note(`growth: opening ${first.many.rooms} rooms of ${2 * first.many.groups} connections, twice`);
  const kinds = ['corked', 'parley'] as const;
  const few = await Promise.all(kinds.map((kind) => Rig.start(kind, folder)));
  const many = await Promise.all(kinds.map((kind) => Rig.start(kind, folder, profile)));
  return ending([...few, ...many], async () => {
    for (const rig of few) await rig.open(first.few);
    for (const rig of many) await rig.open(first.many);
    const rate = (rig: Rig | undefined, rooms: number, ms: number) => async () =>
      (await rig?.closed({ layout: 0, rooms, ms }, IN_FLIGHT)) ?? Number.NaN;
    for (const rig of [...few, ...many]) await rate(rig, FEW_SESSIONS, sizes.warmMs)();
    const figures: Figure[] = [];
    for (const { name, what, talking } of wanted) {
      note(`growth: ${what}`);
      const rounds = await inTurn(sizes.growthRounds, {
        relayFew: rate(few[0], talking[0], sizes.roundMs),
        relayMany: rate(many[0], talking[1], sizes.roundMs),
        hubFew: rate(few[1], talking[0], sizes.roundMs),
        hubMany: rate(many[1], talking[1], sizes.roundMs),
      });
      figures.push(figureOf(name, what, rounds));
    }
    return figures;
  });
}

function figureOf(
  name: string,
  what: string,
  rounds: readonly Readonly<Record<'relayFew' | 'relayMany' | 'hubFew' | 'hubMany', number>>[],
): Figure {
  // No limit requires very many sessions to be in memory at once.
  const isBar = name !== 'wire_sessions_all_talk';
  const middle = (which: keyof (typeof rounds)[number]) => perSecond(median(rounds.map((round) => round[which])));
  return {
    name,
    what: `posts/s with ${what}; relative to what (b) loses`,
    measured: `${middle('hubMany')} of ${middle('hubFew')}`,
    raw: `${middle('relayMany')} of ${middle('relayFew')}`,
    value: median(rounds.map(({ hubMany, hubFew, relayMany, relayFew }) => hubMany / hubFew / (relayMany / relayFew))),
    must: isBar ? 0.8 : null,
    aim: isBar ? 0.95 : null,
    better: 'more',
  };
}
