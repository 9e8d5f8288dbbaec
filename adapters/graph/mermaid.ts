/** A graph as a picture: Mermaid text, with an edge for every transition. */

import type { GraphNode, JsonObject } from 'parley-hub/core';
import { drawGraph } from './draw-graph.ts';
import { parseGraph } from './parse-graph.ts';
import type { WhatToWrite } from './describe-rule.ts';
import type { TransitionGraph } from './transition-graph.ts';

export interface MermaidOptions {
  /** What to write for an id; the id itself unless it is here. */
  readonly names?: Readonly<Record<string, string>>;
}

/** Takes plain JSON too; throws a ProtocolError that names what is wrong if it is no graph. */
export function graphToMermaid(given: TransitionGraph | JsonObject, { names = {} }: MermaidOptions = {}): string {
  const write: WhatToWrite = (id) => (Object.hasOwn(names, id) ? names[id] : undefined) || id;
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

/** Whatever could mean something to Mermaid as an entity code: no text can end its label, begin a line or give a directive. */
function escaped(text: string): string {
  if (text.trim() === '') return '(no name)';
  return text.replace(/[^\p{L}\p{M}\p{N} .,:_()=!?/+'-]/gu, (character) => `#${character.codePointAt(0)};`);
}
