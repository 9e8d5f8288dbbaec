// The rooms: imports run one way between files, between folders and along the order of the rooms, including type imports.

import { dirname, posix } from 'node:path';
import { expect, it } from 'vitest';
import { read, sources } from './repository.ts';

/** A room may import only rooms named before it. */
const ORDERS: Readonly<Record<string, string>> = {
  'src/core': 'lib records ports state decisions protocol',
  'src/hub': `lib time telemetry log bindings extensions registry sessions access delivery deadlines posting opening
    tasks schedules reading operations connection`,
};
/** The most source files directly in a folder. */
const MAX_FILES = 22;

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const files = ['src', 'adapters', 'views', 'expectations'].flatMap(sources);
const imports: Graph = new Map(files.map((file) => [file, new Set(importsOf(file))]));

function importsOf(file: string): string[] {
  const paths = [...read(file).matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) => path);
  return paths.map((path) => posix.join(dirname(file), path)).filter((path) => files.includes(path));
}

function folderGraph(graph: Graph): Graph {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const from = folders.get(dirname(file)) ?? new Set<string>();
    for (const target of targets) if (dirname(target) !== dirname(file)) from.add(dirname(target));
    folders.set(dirname(file), from);
  }
  return folders;
}

/** What remains after repeatedly removing every node that imports nothing left or that nothing left imports. */
function inCycles(graph: Graph): string[] {
  const left = new Set(graph.keys());
  const isUsed = (node: string): boolean => [...left].some((other) => other !== node && graph.get(other)?.has(node));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const node of left) {
      if (![...(graph.get(node) ?? [])].some((target) => left.has(target)) || !isUsed(node)) left.delete(node);
    }
  }
  return [...left].sort();
}

it('[PK1] finds a cycle', () => {
  const edges = { a: ['b'], b: ['c'], c: ['b'], d: ['a'] };
  expect(inCycles(new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)])))).toEqual(['b', 'c']);
});

it('[PK1] no import cycle between files', () => {
  expect(inCycles(imports)).toEqual([]);
});

it('[PK1] no import cycle between folders', () => {
  expect(inCycles(folderGraph(imports))).toEqual([]);
});

it.each(Object.entries(ORDERS))('[PK1] rooms of %s import only rooms before them', (layer, order) => {
  const rooms = order.split(/\s+/);
  const rankOf = (file: string): number => {
    const room = file.slice(layer.length + 1).split('/');
    return room.length === 1 ? rooms.length : rooms.indexOf(room[0] ?? '');
  };
  const own = [...imports].filter(([file]) => file.startsWith(`${layer}/`));
  expect(own.map(([file]) => file).filter((file) => rankOf(file) < 0)).toEqual([]);
  const isBack = (file: string, target: string): boolean =>
    target.startsWith(`${layer}/`) && rankOf(target) > rankOf(file);
  expect(own.flatMap(([file, to]) => [...to].filter((t) => isBack(file, t)).map((t) => `${file} → ${t}`))).toEqual([]);
});

it(`[PK1] no folder has more than ${MAX_FILES} files`, () => {
  const folders = new Map<string, number>();
  for (const file of files) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
  expect([...folders].filter(([, count]) => count > MAX_FILES)).toEqual([]);
});
