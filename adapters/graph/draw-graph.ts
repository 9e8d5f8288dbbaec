/** Draws a graph: nodes for participants, targets and ends, an edge for every transition, also as Mermaid text. */

import type { GraphEdge, GraphNode, JsonObject, RuleRef } from 'parley-hub/core';
import { describeRule, innerOf, type NameOf } from './describe-rule.ts';
import { parseGraph, type Transition, type TransitionGraph } from './transition-graph.ts';

export interface DrawnGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The node of who begins. */
  readonly initial: string;
}

/** Throws a ProtocolError that names what is wrong with a condition it cannot say in words. */
export function drawGraph(graph: TransitionGraph, write: NameOf = (id) => id): DrawnGraph {
  const drawing = new Drawing(write);
  const start = drawing.node('start', 'start', 'start');
  const initial = drawing.agent(graph.initial_speaker);
  drawing.edge(start, initial, '');
  for (const [i, { when, then, priority }] of graph.transitions.entries()) {
    const { speaker, rest } = split(when, `graph.transitions.${i}.when`);
    const words = rest.map((one) => describeRule(one, write, `graph.transitions.${i}.when`));
    drawing.lead(speaker, then, [...words, ...(priority === 0 ? [] : [`priority ${priority}`])].join(', '));
  }
  const otherwise = graph.default_target ?? { name: 'terminate', args: { reason: 'after_work' } };
  const isNew = !graph.transitions.some((rule) => repeats(rule, otherwise));
  if (isNew) drawing.lead(null, otherwise, graph.transitions.length === 0 ? '' : 'otherwise');
  const { max_turns } = graph;
  if (max_turns !== null) drawing.edge(drawing.anyone(), drawing.end('max_turns'), `after turn ${max_turns}`);
  return { nodes: drawing.nodes, edges: drawing.edges, initial };
}

/** A default that a rule without a condition says already is not drawn again. */
function repeats({ when, then }: Transition, otherwise: RuleRef): boolean {
  return when.name === 'always' && JSON.stringify(then) === JSON.stringify(otherwise);
}

class Drawing {
  readonly nodes: GraphNode[] = [];
  readonly edges: GraphEdge[] = [];
  private readonly write: NameOf;
  /** Node ids by what they stand for: no text of a graph is an id. */
  private readonly ids = new Map<string, string>();

  constructor(write: NameOf) {
    this.write = write;
  }

  agent(id: string): string {
    return this.node('agent', `agent ${id}`, this.write(id), id);
  }

  anyone(): string {
    return this.node('anyone', 'anyone', 'whoever speaks');
  }

  end(reason: string): string {
    return this.node('end', `end ${reason}`, `end: ${reason}`);
  }

  /** Where a rule leads from a speaker, or from whoever speaks (null). */
  lead(speaker: string | null, { name, args }: RuleRef, label: string): void {
    if (name === 'next_in' && isTexts(args.agents)) {
      for (const [from, to] of stepsIn(args.agents, args.wrap === true, speaker)) {
        this.edge(this.agent(from), this.agent(to), label);
      }
      return;
    }
    const from = speaker === null ? this.anyone() : this.agent(speaker);
    this.edge(from, this.target({ name, args }, from), label);
  }

  node(kind: GraphNode['kind'], key: string, label: string, agent: string | null = null): string {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = `n${this.ids.size}`;
    this.ids.set(key, id);
    this.nodes.push({ id, kind, label, agent });
    return id;
  }

  edge(from: string, to: string, label: string): void {
    this.edges.push({ from, to, label });
  }

  private target({ name, args }: RuleRef, from: string): string {
    if (name === 'stay') return from;
    if (name === 'agent' && typeof args.agent_id === 'string') return this.agent(args.agent_id);
    if (name === 'terminate') return this.end(String(args.reason));
    const text = TARGET_TEXTS.get(name) ?? describeRule({ name, args }, this.write, 'graph');
    return this.node('target', `target ${text}`, text);
  }
}

const TARGET_TEXTS: ReadonlyMap<string, string> = new Map([
  ['round_robin', 'the next in order'],
  ['revert_to_initiator', 'the initiator'],
  ['random', 'anyone, by chance'],
]);

/** From each in a list, or from one alone, to the one behind it, and round if it goes round. */
function stepsIn(
  agents: readonly string[],
  wrap: boolean,
  speaker: string | null,
): readonly (readonly [from: string, to: string])[] {
  const speakers = speaker === null ? agents : [speaker];
  return speakers.flatMap((from) => {
    const to = agents[agents.indexOf(from) + 1] ?? (wrap ? agents[0] : undefined);
    return to === undefined ? [] : [[from, to] as const];
  });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Who speaks, if the condition says so, and what else must hold. */
function split(when: RuleRef, field: string): { readonly speaker: string | null; readonly rest: readonly RuleRef[] } {
  if (when.name === 'always') return { speaker: null, rest: [] };
  const all = when.name === 'all_of' ? innerOf(when, field) : [when];
  const from = all.find(({ name, args }) => name === 'from_speaker' && typeof args.agent_id === 'string');
  return { speaker: from === undefined ? null : String(from.args.agent_id), rest: all.filter((one) => one !== from) };
}

export interface MermaidOptions {
  /** Names by agent id; an id without a name is written as it is. */
  readonly names?: Readonly<Record<string, string>>;
}

/** Takes plain JSON too; throws a ProtocolError that names what is wrong if it is no graph. */
export function graphToMermaid(given: TransitionGraph | JsonObject, { names = {} }: MermaidOptions = {}): string {
  const write: NameOf = (id) => (Object.hasOwn(names, id) ? names[id] : undefined) || id;
  const { nodes, edges } = drawGraph(parseGraph(given), write);
  const boxes = nodes.map(({ id, kind, label }) => `  ${id}${SHAPES[kind][0]}"${escaped(label)}"${SHAPES[kind][1]}`);
  const arrows = edges.map(({ from, to, label }) =>
    label === '' ? `  ${from} --> ${to}` : `  ${from} -->|"${escaped(label)}"| ${to}`,
  );
  return ['flowchart TD', ...boxes, ...arrows, ''].join('\n');
}

const SHAPES: { readonly [Kind in GraphNode['kind']]: readonly [open: string, close: string] } = {
  start: ['([', '])'],
  agent: ['[', ']'],
  anyone: ['[', ']'],
  target: ['{{', '}}'],
  end: ['([', '])'],
};

/** Escapes characters that Mermaid would read as syntax: a text cannot end its label, begin a line or give a directive. */
function escaped(text: string): string {
  if (text.trim() === '') return '(no name)';
  return text.replace(/[^\p{L}\p{M}\p{N} .,:_()=!?/+'-]/gu, (character) => `#${character.codePointAt(0)};`);
}
