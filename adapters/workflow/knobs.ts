/** The knobs of a workflow: checked and resolved at create, compiled once per loaded session. */

import { type JsonObject, jsonBytes, type SessionMetadata, type UsedNames, type Vocabulary } from 'parley-hub/core';
import { type CompiledGraph, compileGraph } from '../graph/compile-graph.ts';
import { namesIn, type People, resolveGraph } from '../graph/resolve-graph.ts';
import { parseGraph, type TransitionGraph } from '../graph/transition-graph.ts';
import { fieldError, isObject } from '../parts/field-error.ts';
import { MAX_CONTEXT_BYTES } from './context-vars.ts';

/** The schema leaves the graph open: code parses it, with errors that name the rule. */
export const KNOBS_SCHEMA: JsonObject = {
  type: 'object',
  properties: { graph: { type: 'object' }, context_vars: { type: 'object', default: {} } },
  required: ['graph'],
  additionalProperties: false,
};

const FIELD = 'knobs.graph';

/** A compiled graph, and the maximum size of the context variables. */
export interface Prepared extends CompiledGraph {
  readonly maxContextBytes: number;
}

export function graphOf({ knobs }: Pick<SessionMetadata, 'knobs'>): TransitionGraph {
  return parseGraph(knobs.graph, FIELD);
}

export function namesUsed(metadata: SessionMetadata, registered: Vocabulary): UsedNames {
  return namesIn(graphOf(metadata), registered, FIELD);
}

/** The recorded knobs: with all defaults, and ids instead of participants' names. */
export function resolvedKnobs(metadata: SessionMetadata, vocabulary: Vocabulary): JsonObject {
  return { ...metadata.knobs, graph: resolveGraph(graphOf(metadata), vocabulary, peopleOf(metadata), FIELD) };
}

/** Checks recorded knobs, which name participants by id. */
export function checkKnobs(metadata: SessionMetadata, vocabulary: Vocabulary): void {
  const people = peopleOf(metadata);
  const isId = (id: string) => metadata.participants.some(({ agent_id }) => agent_id === id);
  resolveGraph(graphOf(metadata), vocabulary, { ...people, idOf: (id) => (isId(id) ? id : null) }, FIELD);
  const { context_vars = {} }: Partial<JsonObject> = metadata.knobs;
  if (!isObject(context_vars)) throw fieldError('knobs.context_vars', 'an object', context_vars);
  const bytes = jsonBytes(metadata.knobs);
  if (bytes <= MAX_CONTEXT_BYTES) return;
  throw fieldError('knobs', `at most ${MAX_CONTEXT_BYTES} bytes of JSON with names resolved to ids`, bytes);
}

/** Compiles once per knobs object; a loaded session keeps the same object. */
export function createGraphCache(vocabulary: Vocabulary): (metadata: SessionMetadata) => Prepared {
  const prepared = new WeakMap<JsonObject, Prepared>();
  return (metadata) => {
    const { knobs } = metadata;
    const known = prepared.get(knobs);
    if (known !== undefined) return known;
    const others = jsonBytes({ ...knobs, context_vars: null }) - jsonBytes(null);
    const made = { ...compileGraph(graphOf(metadata), vocabulary, FIELD), maxContextBytes: MAX_CONTEXT_BYTES - others };
    prepared.set(knobs, made);
    return made;
  };
}

function peopleOf({ participants }: SessionMetadata): People {
  return {
    names: participants.map(({ name }) => name),
    idOf(nameOrId) {
      const known =
        participants.find(({ agent_id }) => agent_id === nameOrId) ??
        participants.find(({ name }) => name === nameOrId);
      return known?.agent_id ?? null;
    },
  };
}
