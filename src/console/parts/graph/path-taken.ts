/** Reconstructs the path of a session through its graph: the turns of each node, edges taken, turn holder and end. */

import { type DrawnEdge, type DrawnGraph, type DrawnNode, type Names, nameIn, nodeOf } from './drawn-graph.ts';

/** The course of a session up to a seq. */
export interface Way {
  /** The ids of the agents that took the turns, in order. */
  readonly path: readonly string[];
  /** The id of the turn holder; null if nobody has the turn. */
  readonly current: string | null;
  /** The reason for the end of the session; null if it has not ended. */
  readonly end: string | null;
  /** True if no turn is missing between the end of `path` and the turn holder or the end of the session. */
  readonly isWhole: boolean;
  /** True if turns may be missing within `path`: then steps without a rule are not drawn. */
  readonly hasGaps: boolean;
}

export interface EdgeTaken {
  /** The turns, counted from 1, after which the edge was taken. */
  readonly after: readonly number[];
  /** False if the session may have taken a parallel edge instead. */
  readonly isCertain: boolean;
}

export interface PathTaken {
  /** The graph, followed by extra nodes and edges for steps without a rule, such as a handoff. */
  readonly graph: DrawnGraph;
  /** The turns of each node, counted from 1. */
  readonly visits: ReadonlyMap<string, readonly number[]>;
  /** The ids that each rule node stood for, in order. */
  readonly stoodFor: ReadonlyMap<string, readonly string[]>;
  /** The edges taken, by index of the edge. */
  readonly edges: ReadonlyMap<number, EdgeTaken>;
  /** The id of the turn holder (`current`), and the node highlighted for it (`lit`); null if nobody has the turn. */
  readonly current: string | null;
  readonly lit: string | null;
  /** The end node that was reached; null if none was. */
  readonly reached: string | null;
}

export function pathTaken(given: DrawnGraph, way: Way, names: Names = {}): PathTaken {
  const { path, end, isWhole, hasGaps } = way;
  const leads = findLeads(given, names);
  const current = end === null ? way.current : null;
  const turns = current === null ? path : [...path, current];
  /** The turn holder before turn `i`; null if unknown. */
  const before = (i: number): string | null => (i < path.length || isWhole ? (turns[i - 1] ?? null) : null);
  const found = turns.map((id, i) => leads.between(before(i), id));
  const isUnreachable = (i: number) => (before(i) === null ? leads.rule === null : found[i]?.length === 0);
  const strangers = new Set(turns.filter((id, i) => leads.nodeOf(id) === null && isUnreachable(i)));
  const places = placesOf(leads, turns, found, strangers);
  const reached = end === null ? null : leads.endOf(end);
  const marks = new Marks(given.edges.length, hasGaps);
  for (const [i, edges] of found.entries()) {
    const from = before(i) === null ? undefined : places[i - 1];
    if (from !== undefined) marks.step({ from, to: places[i] ?? '', label: 'handoff without a rule' }, edges, i);
  }
  const last = path.at(-1);
  if (reached !== null && last !== undefined && isWhole) {
    const step = { from: places.at(-1) ?? '', to: reached, label: 'ended without a rule' };
    marks.step(step, leads.toEnd(last, reached), path.length);
  }
  return {
    graph: withExtras(
      given,
      [...strangers].map((id) => strangerNode(id, names)),
      marks.extra,
    ),
    visits: visitsOf(places.slice(0, path.length)),
    stoodFor: stoodForIn(given, turns, places),
    edges: marks.edges(),
    current,
    lit: current === null ? null : (places.at(-1) ?? null),
    reached,
  };
}

/** The node of each turn: the participant's own node, else a rule node that stands for it. */
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
  return `stranger: ${id}`;
}

function strangerNode(id: string, names: Names): DrawnNode {
  return { id: strangerId(id), label: nameIn(names, id), kind: 'stranger', agent: id };
}

function withExtras(given: DrawnGraph, strangers: readonly DrawnNode[], extra: readonly DrawnEdge[]): DrawnGraph {
  if (strangers.length === 0 && extra.length === 0) return given;
  return { ...given, nodes: [...given.nodes, ...strangers], edges: [...given.edges, ...extra] };
}

/** Collects the edges taken, and extra edges for steps without a rule. */
class Marks {
  readonly extra: DrawnEdge[] = [];
  private readonly after = new Map<number, number[]>();
  private readonly uncertain = new Set<number>();
  private readonly known = new Map<string, number>();
  private readonly edgeCount: number;
  private readonly hasGaps: boolean;

  constructor(edgeCount: number, hasGaps: boolean) {
    this.edgeCount = edgeCount;
    this.hasGaps = hasGaps;
  }

  /** Records that one of `edges` was taken after `turn`. If there are none, the step becomes an extra edge. */
  step(step: DrawnEdge, edges: readonly number[], turn: number): void {
    if (edges.length === 0 && this.hasGaps) return;
    for (const edge of edges.length === 0 ? [this.extraEdge(step)] : edges) {
      listIn(this.after, edge).push(turn);
      if (edges.length > 1) this.uncertain.add(edge);
    }
  }

  edges(): ReadonlyMap<number, EdgeTaken> {
    return new Map([...this.after].map(([edge, after]) => [edge, { after, isCertain: !this.uncertain.has(edge) }]));
  }

  private extraEdge(step: DrawnEdge): number {
    const key = JSON.stringify([step.from, step.to]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const edge = this.edgeCount + this.extra.length;
    this.known.set(key, edge);
    this.extra.push({ ...step, isExtra: true });
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
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

type Leads = ReturnType<typeof findLeads>;

function findLeads(graph: DrawnGraph, names: Names) {
  const { nodes, edges } = graph;
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const isAnyone = (id: string) => kinds.get(id) === 'anyone';
  const isRule = (id: string) => kinds.get(id) === 'rule';
  const nodeFor = cached((id: string) => nodeOf(graph, id, names));
  const fromTo = (isFrom: (node: string) => boolean, isTo: (node: string) => boolean): readonly number[] =>
    edges.flatMap(({ from, to }, i) => (isFrom(from) && isTo(to) ? [i] : []));
  /** The participant's own edges; if there are none, also those from any speaker and to rule nodes. */
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
  const pair = cached((key: string) => between(...(JSON.parse(key) as [string, string])));
  return {
    /** The node of a participant; null if it is not in the graph. */
    nodeOf: nodeFor,
    /** The edges that may have led from one participant to another; empty if `from` is null. */
    between: (from: string | null, to: string) => (from === null ? [] : pair(JSON.stringify([from, to]))),
    /** The first rule node among the targets of these edges; null if there is none. */
    ruleAmong: (among: readonly number[]) => among.map((i) => edges[i]?.to ?? '').find(isRule) ?? null,
    /** The first rule node, used for a turn whose predecessor is unknown; null if there is none. */
    rule: nodes.find(({ kind }) => kind === 'rule')?.id ?? null,
    endOf: (reason: string) =>
      nodes.find(({ kind, label }) => kind === 'end' && label === `end: ${reason}`)?.id ?? null,
    toEnd(from: string, end: string) {
      const isEnd = (node: string) => node === end;
      const own = fromTo((node) => node === nodeFor(from), isEnd);
      return own.length > 0 ? own : fromTo(isAnyone, isEnd);
    },
  };
}

/** Caches answers: a path of thousands of turns repeats only a few questions. */
function cached<Answer>(find: (key: string) => Answer): (key: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (key) => {
    const found = known.get(key) ?? { answer: find(key) };
    known.set(key, found);
    return found.answer;
  };
}

/** `1 4 7`; for more than three turns, only the first and the last. */
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
