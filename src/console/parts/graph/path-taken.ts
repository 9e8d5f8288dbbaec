/** The way a session has taken through its graph: when each node spoke, which edges led on, who has the turn, and the end. */

import { type DrawnEdge, type DrawnGraph, type DrawnNode, type Names, nameIn, nodeOf } from './drawn-graph.ts';

/** What a session did, as of some moment. */
export interface Way {
  /** The ids of who spoke, in order. */
  readonly path: readonly string[];
  /** Who has the turn, by id; null = nobody. */
  readonly current: string | null;
  /** Why it is over; null = it is not. */
  readonly end: string | null;
  /** Nothing is missing between the last of the path and who has the turn, or the end. */
  readonly isWhole: boolean;
  /** Somebody may have spoken in between: what no rule says is not told as a step. */
  readonly hasGaps: boolean;
}

export interface EdgeTaken {
  /** The turns after which the way led over it, counted from 1. */
  readonly after: readonly number[];
  /** Another edge leads from and to the same: it may have been that one. */
  readonly isCertain: boolean;
}

export interface PathTaken {
  /** The graph; behind its own nodes and edges those of steps that no rule says, such as a handoff. */
  readonly graph: DrawnGraph;
  /** By node: its turns, counted from 1. */
  readonly visits: ReadonlyMap<string, readonly number[]>;
  /** By node that is nobody in particular: the ids of whom it stood for, in order. */
  readonly stoodFor: ReadonlyMap<string, readonly string[]>;
  /** By edge. */
  readonly edges: ReadonlyMap<number, EdgeTaken>;
  /** Who has the turn, by id, and the node that is lit for it. */
  readonly current: string | null;
  readonly lit: string | null;
  /** The node of the end that was reached. */
  readonly reached: string | null;
}

export function pathTaken(given: DrawnGraph, way: Way, names: Names = {}): PathTaken {
  const { path, current, end, isWhole, hasGaps } = way;
  const leads = findLeads(given, names);
  const has = end === null ? current : null;
  const turns = [...path, ...(has === null ? [] : [has])];
  /** Whose turn it was before; null = that is not known. */
  const before = (i: number): string | null => (i < path.length || isWhole ? (turns[i - 1] ?? null) : null);
  const found = turns.map((id, i) => leads.between(before(i), id));
  const strangers = new Set(
    turns.filter((id, i) => leads.nodeOf(id) === null && isNowhere(leads, found[i], before(i))),
  );
  const places = placesOf(leads, turns, found, strangers);
  const reached = end === null ? null : leads.endOf(end);
  const marks = new Marks(given, strangers, names, hasGaps);
  for (const [i, edges] of found.entries()) {
    const from = before(i) === null ? null : (places[i - 1] ?? null);
    if (from !== null) marks.step(from, places[i] ?? '', edges, i, HANDED_ON);
  }
  const last = path.at(-1);
  if (reached !== null && last !== undefined && isWhole) {
    marks.step(places.at(-1) ?? '', reached, leads.toEnd(last, reached), path.length, ENDED);
  }
  return {
    graph: marks.graph(),
    visits: visitsOf(places.slice(0, path.length)),
    stoodFor: stoodForIn(given, turns, places),
    edges: marks.edges(),
    current: has,
    lit: has === null ? null : (places.at(-1) ?? null),
    reached,
  };
}

const HANDED_ON = 'handed on, by no rule';
const ENDED = 'ended, by no rule';

/** No edge leads to it, and no node could stand for it. */
function isNowhere({ rule }: Leads, edges: readonly number[] = [], before: string | null): boolean {
  return before === null ? rule === null : edges.length === 0;
}

/** The node of each turn: its own, else the one that stands for it, else where it was already. */
function placesOf(
  leads: Leads,
  turns: readonly string[],
  found: readonly (readonly number[])[],
  strangers: ReadonlySet<string>,
): readonly string[] {
  const places: string[] = [];
  for (const [i, id] of turns.entries()) {
    const own = leads.nodeOf(id) ?? (strangers.has(id) ? strangerId(id) : null);
    const standsFor = leads.ruleAmong(found[i] ?? []) ?? (turns[i - 1] === id ? places[i - 1] : null) ?? leads.rule;
    places.push(own ?? standsFor ?? strangerId(id));
  }
  return places;
}

function strangerId(id: string): string {
  return `named by no rule: ${id}`;
}

/** What is marked as taken, and what has to be drawn for it that the graph does not say. */
class Marks {
  private readonly after = new Map<number, number[]>();
  private readonly doubtful = new Set<number>();
  private readonly extra: DrawnEdge[] = [];
  private readonly known = new Map<string, number>();
  private readonly given: DrawnGraph;
  private readonly strangers: readonly DrawnNode[];
  private readonly hasGaps: boolean;

  constructor(given: DrawnGraph, strangers: ReadonlySet<string>, names: Names, hasGaps: boolean) {
    this.given = given;
    this.hasGaps = hasGaps;
    this.strangers = [...strangers].map((id) => ({
      id: strangerId(id),
      label: nameIn(names, id),
      kind: 'stranger',
      agent: id,
    }));
  }

  step(from: string, to: string, edges: readonly number[], turn: number, otherwise: string): void {
    if (edges.length === 0 && this.hasGaps) return;
    for (const edge of edges.length === 0 ? [this.extraEdge(from, to, otherwise)] : edges) {
      listIn(this.after, edge).push(turn);
      if (edges.length > 1) this.doubtful.add(edge);
    }
  }

  graph(): DrawnGraph {
    const { nodes, edges, initial } = this.given;
    if (this.strangers.length === 0 && this.extra.length === 0) return this.given;
    return { nodes: [...nodes, ...this.strangers], edges: [...edges, ...this.extra], initial };
  }

  edges(): ReadonlyMap<number, EdgeTaken> {
    const taken = [...this.after].map(
      ([edge, after]) => [edge, { after, isCertain: !this.doubtful.has(edge) }] as const,
    );
    return new Map(taken);
  }

  private extraEdge(from: string, to: string, label: string): number {
    const key = JSON.stringify([from, to]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const edge = this.given.edges.length + this.extra.length;
    this.known.set(key, edge);
    this.extra.push({ from, to, label, isExtra: true });
    return edge;
  }
}

function visitsOf(places: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const visits = new Map<string, number[]>();
  for (const [i, node] of places.entries()) listIn(visits, node).push(i + 1);
  return visits;
}

function stoodForIn({ nodes }: DrawnGraph, turns: readonly string[], places: readonly string[]) {
  const rules = new Set(nodes.filter(({ kind }) => kind === 'rule').map(({ id }) => id));
  const stood = new Map<string, Set<string>>();
  for (const [i, node] of places.entries()) {
    if (rules.has(node)) stood.set(node, (stood.get(node) ?? new Set()).add(turns[i] ?? ''));
  }
  return new Map([...stood].map(([node, ids]) => [node, [...ids]] as const));
}

function listIn<Key>(lists: Map<Key, number[]>, key: Key): number[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: number[] = [];
  lists.set(key, made);
  return made;
}

interface Leads {
  /** The node of a participant; null = no rule names it. */
  nodeOf(id: string): string | null;
  /** The edges that may have led from one to the other; from nobody (null) none. */
  between(from: string | null, to: string): readonly number[];
  /** The first node among those that edges lead to which is nobody in particular. */
  ruleAmong(edges: readonly number[]): string | null;
  /** The first node that is nobody in particular, for whoever came from nobody knows where. */
  readonly rule: string | null;
  endOf(reason: string): string | null;
  toEnd(from: string, end: string): readonly number[];
}

function findLeads(graph: DrawnGraph, names: Names): Leads {
  const { nodes, edges } = graph;
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const isAnyone = (id: string) => kinds.get(id) === 'anyone';
  const isRule = (id: string) => kinds.get(id) === 'rule';
  const nodeFor = kept((id: string) => nodeOf(graph, id, names));
  const fromTo = (isFrom: (node: string) => boolean, isTo: (node: string) => boolean): readonly number[] =>
    edges.flatMap(({ from, to }, i) => (isFrom(from) && isTo(to) ? [i] : []));
  /** Its own edges, else those of whoever speaks too. */
  const between = (from: string, to: string): readonly number[] => {
    const [own, target] = [nodeFor(from), nodeFor(to)];
    const isOwn = (node: string) => node === own;
    const isSameAgain = from === to ? fromTo(isAnyone, isAnyone) : [];
    if (target === null) {
      const ruled = fromTo(isOwn, isRule);
      return ruled.length > 0 ? ruled : [...fromTo(isAnyone, isRule), ...isSameAgain];
    }
    const exact = fromTo(isOwn, (node) => node === target);
    if (exact.length > 0) return exact;
    const others = fromTo(
      (node) => isOwn(node) || isAnyone(node),
      (node) => node === target || isRule(node),
    );
    return [...others, ...isSameAgain];
  };
  const pair = kept((key: string) => between(...(JSON.parse(key) as [string, string])));
  return {
    nodeOf: nodeFor,
    between: (from, to) => (from === null ? [] : pair(JSON.stringify([from, to]))),
    ruleAmong: (among) => among.map((i) => edges[i]?.to ?? '').find(isRule) ?? null,
    rule: nodes.find(({ kind }) => kind === 'rule')?.id ?? null,
    endOf: (reason) => nodes.find(({ kind, label }) => kind === 'end' && label === `end: ${reason}`)?.id ?? null,
    toEnd(from, end) {
      const isEnd = (node: string) => node === end;
      const own = fromTo((node) => node === nodeFor(from), isEnd);
      return own.length > 0 ? own : fromTo(isAnyone, isEnd);
    },
  };
}

/** A way of thousands of turns asks for the same few again and again. */
function kept<Answer>(find: (key: string) => Answer): (key: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (key) => {
    const found = known.get(key) ?? { answer: find(key) };
    known.set(key, found);
    return found.answer;
  };
}

/** `1 4 7`, and of many the first and the last. */
export function shortTurnNumbers(turns: readonly number[]): string {
  return turns.length <= 3 ? turns.join(' ') : `${turns[0]} \u2026 ${turns.at(-1)}`;
}

/** `turn 3`, `turns 1, 4 and 7`, `12 turns, the last 41`. */
export function turnNumbersText(turns: readonly number[]): string {
  if (turns.length === 0) return 'no turn';
  if (turns.length === 1) return `turn ${turns[0]}`;
  if (turns.length > 6) return `${turns.length} turns, the last ${turns.at(-1)}`;
  return `turns ${turns.slice(0, -1).join(', ')} and ${turns.at(-1)}`;
}
