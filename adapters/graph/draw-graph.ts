/** Draws a graph as nodes and edges, and as Mermaid text. */

import type { GraphEdge, GraphNode, Json, JsonObject, RuleRef } from 'parley-hub/core';
import { fieldError, isObject } from '../parts/field-error.ts';
import { parseGraph, parseRef, type Transition, type TransitionGraph } from './transition-graph.ts';

/** Converts a participant's id to the name to show. */
type NameOf = (id: string) => string;

export interface DrawnGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The node of the first speaker. */
  readonly initial: string;
}

/** Throws a ProtocolError if a condition cannot be described. */
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

/** Whether an unconditional rule already leads to the default, which is then not drawn again. */
function repeats({ when, then }: Transition, otherwise: RuleRef): boolean {
  return when.name === 'always' && JSON.stringify(then) === JSON.stringify(otherwise);
}

class Drawing {
  readonly nodes: GraphNode[] = [];
  readonly edges: GraphEdge[] = [];
  private readonly write: NameOf;
  /** Node ids by key. No text of a graph becomes an id. */
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

  /** Draws a rule from a speaker, or from anyone if `speaker` is null. */
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

/** The steps from each listed agent, or only from `speaker`, to the next; if `wrap`, the last leads to the first. */
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

/** Separates the speaker that a condition requires from its other parts. */
function split(when: RuleRef, field: string): { readonly speaker: string | null; readonly rest: readonly RuleRef[] } {
  if (when.name === 'always') return { speaker: null, rest: [] };
  const all = when.name === 'all_of' ? innerOf(when, field) : [when];
  const from = all.find(({ name, args }) => name === 'from_speaker' && typeof args.agent_id === 'string');
  return { speaker: from === undefined ? null : String(from.args.agent_id), rest: all.filter((one) => one !== from) };
}

function describeRule(ref: RuleRef, write: NameOf, field: string): string {
  const { name, args } = ref;
  switch (name) {
    case 'all_of':
    case 'any_of': {
      const inner = innerOf(ref, field).map((one) => describeRule(one, write, field));
      return `(${inner.join(name === 'all_of' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return `not (${innerOf(ref, field).map((one) => describeRule(one, write, field))})`;
    case 'from_speaker':
      return `${write(String(args.agent_id))} speaks`;
    case 'context_equals':
      return `${args.key} == ${JSON.stringify(args.value)}`;
    case 'context_compare':
      return `${args.key} ${args.op} ${JSON.stringify(args.value)}`;
    case 'turn_count':
      return `turn ${args.op} ${args.value}`;
    case 'tool_called':
      return `calls ${args.tool_name}`;
    case 'text_contains':
      return `says ${listOf(args.any)
        .map((part) => JSON.stringify(part))
        .join(' or ')}`;
    default:
      return Object.keys(args).length === 0 ? name : `${name} ${JSON.stringify(named(args, write))}`;
  }
}

/** The inner conditions of an all_of, any_of or not; throws a ProtocolError if there are none. */
function innerOf({ name, args }: RuleRef, field: string): readonly RuleRef[] {
  if (name === 'not') return [parseRef(args.condition, `${field}.args.condition`)];
  if (!Array.isArray(args.conditions))
    throw fieldError(`${field}.args.conditions`, 'a list of conditions', args.conditions);
  return args.conditions.map((one: Json, i) => parseRef(one, `${field}.args.conditions.${i}`));
}

/** The same value with names instead of ids, at any depth. */
function named(value: Json, write: NameOf): Json {
  if (typeof value === 'string') return write(value);
  if (Array.isArray(value)) return value.map((one: Json) => named(one, write));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one, write)]));
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export interface MermaidOptions {
  /** Names by agent id; ids without a name are shown as ids. */
  readonly names?: Readonly<Record<string, string>>;
}

/** Also accepts plain JSON; throws a ProtocolError if it is not a valid graph. */
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

/** Escapes Mermaid syntax, so that a text cannot end its label, start a line or add a directive. */
function escaped(text: string): string {
  if (text.trim() === '') return '(no name)';
  return text.replace(/[^\p{L}\p{M}\p{N} .,:_()=!?/+'-]/gu, (character) => `#${character.codePointAt(0)};`);
}
