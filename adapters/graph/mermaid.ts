/** A graph as a picture: Mermaid text, with an edge for every transition. */

import type { RuleRef } from 'parley-hub/core';
import type { TransitionGraph } from './transition-graph.ts';

export interface MermaidOptions {
  /** What to write for an id; the id itself unless it is here. */
  readonly names?: Readonly<Record<string, string>>;
}

export function graphToMermaid(graph: TransitionGraph, { names = {} }: MermaidOptions = {}): string {
  const drawing = new Drawing(names);
  drawing.edge(drawing.node('start', '([', 'start', '])'), drawing.agent(graph.initial_speaker), '');
  for (const { when, then, priority } of graph.transitions) {
    const { speaker, rest } = split(when);
    const label = [...rest.map(say), ...(priority === 0 ? [] : [`priority ${priority}`])].join(', ');
    const from = speaker === null ? drawing.anyone() : drawing.agent(speaker);
    drawing.edge(from, drawing.target(then, from), label);
  }
  const otherwise = graph.default_target ?? { name: 'terminate', args: { reason: 'after_work' } };
  const from = drawing.anyone();
  drawing.edge(from, drawing.target(otherwise, from), 'otherwise');
  if (graph.max_turns !== null) drawing.edge(from, drawing.end('max_turns'), `after turn ${graph.max_turns}`);
  return drawing.text();
}

class Drawing {
  private readonly names: Readonly<Record<string, string>>;
  /** Node ids by what they stand for; Mermaid's own words and any text of ours must not be ids. */
  private readonly ids = new Map<string, string>();
  private readonly nodes: string[] = [];
  private readonly edges: string[] = [];

  constructor(names: Readonly<Record<string, string>>) {
    this.names = names;
  }

  agent(id: string): string {
    const name = Object.hasOwn(this.names, id) ? this.names[id] : undefined;
    return this.node(`agent ${id}`, '[', name ?? id, ']');
  }

  anyone(): string {
    return this.node('anyone', '[', 'whoever speaks', ']');
  }

  end(reason: string): string {
    return this.node(`end ${reason}`, '([', `end: ${reason}`, '])');
  }

  target({ name, args }: RuleRef, from: string): string {
    if (name === 'stay') return from;
    if (name === 'agent' && typeof args.agent_id === 'string') return this.agent(args.agent_id);
    if (name === 'terminate') return this.end(String(args.reason));
    const text = TARGET_TEXTS.get(name) ?? say({ name, args });
    return this.node(`target ${text}`, '{{', text, '}}');
  }

  node(key: string, open: string, text: string, close: string): string {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = `n${this.ids.size}`;
    this.ids.set(key, id);
    this.nodes.push(`  ${id}${open}"${escaped(text)}"${close}`);
    return id;
  }

  edge(from: string, to: string, label: string): void {
    this.edges.push(label === '' ? `  ${from} --> ${to}` : `  ${from} -->|"${escaped(label)}"| ${to}`);
  }

  text(): string {
    return ['flowchart TD', ...this.nodes, ...this.edges, ''].join('\n');
  }
}

const TARGET_TEXTS: ReadonlyMap<string, string> = new Map([
  ['round_robin', 'the next in order'],
  ['revert_to_initiator', 'the initiator'],
  ['random', 'anyone, by chance'],
]);

/** Who speaks, if the condition says so, and what else must hold. */
function split(when: RuleRef): { readonly speaker: string | null; readonly rest: readonly RuleRef[] } {
  if (when.name === 'always') return { speaker: null, rest: [] };
  const all = when.name === 'all_of' ? refsIn(when.args.conditions) : [when];
  const from = all.find(({ name, args }) => name === 'from_speaker' && typeof args.agent_id === 'string');
  return { speaker: from === undefined ? null : String(from.args.agent_id), rest: all.filter((one) => one !== from) };
}

/** A condition in words that a reader of the graph knows. */
function say({ name, args }: RuleRef): string {
  const inner = refsIn(args.conditions ?? (args.condition === undefined ? [] : [args.condition])).map(say);
  if (name === 'not' && inner.length === 1) return `not (${inner[0]})`;
  if (name === 'all_of' || name === 'any_of') return `(${inner.join(name === 'all_of' ? ' and ' : ' or ')})`;
  if (name === 'context_equals') return `${args.key} == ${JSON.stringify(args.value)}`;
  if (name === 'context_compare') return `${args.key} ${args.op} ${JSON.stringify(args.value)}`;
  if (name === 'turn_count') return `turn ${args.op} ${args.value}`;
  if (name === 'tool_called') return `calls ${args.tool_name}`;
  if (name === 'text_contains')
    return `says ${refsIn(args.any)
      .map((part) => JSON.stringify(part))
      .join(' or ')}`;
  return Object.keys(args).length === 0 ? name : `${name} ${JSON.stringify(args)}`;
}

/** Checked when the graph was. */
function refsIn(conditions: unknown): readonly RuleRef[] {
  return Array.isArray(conditions) ? (conditions as readonly RuleRef[]) : [];
}

/** Entity codes as Mermaid takes them; no text can end its label or begin another line. */
function escaped(text: string): string {
  return text.replace(/[#;"<>&`\\\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => `#${character.codePointAt(0)};`);
}
