/** The knobs of a workflow: checked and resolved at create, made ready once for each session that is in memory. */

import { type JsonObject, jsonBytes, type SessionMetadata, type UsedNames, type Vocabulary } from 'parley-hub/core';
import { type CompiledGraph, compileGraph } from '../graph/compile-graph.ts';
import { namesIn, type People, resolveGraph } from '../graph/resolve-graph.ts';
import { parseGraph, type TransitionGraph } from '../graph/transition-graph.ts';
import { fieldError, isObject } from '../parts/field-error.ts';
import { MAX_CONTEXT_BYTES } from './context-vars.ts';

/** What the graph holds is parsed here: errors then name the rule. */
export const KNOBS_SCHEMA: JsonObject = {
  type: 'object',
  properties: { graph: { type: 'object' }, context_vars: { type: 'object', default: {} } },
  required: ['graph'],
  additionalProperties: false,
};

const FIELD = 'knobs.graph';

/** A session's graph, ready to be asked, and the bytes its context may take. */
export interface Prepared extends CompiledGraph {
  readonly maxContextBytes: number;
}

export function graphOf({ knobs }: Pick<SessionMetadata, 'knobs'>): TransitionGraph {
  return parseGraph(knobs.graph, FIELD);
}

export function namesUsed(metadata: SessionMetadata, registered: Vocabulary): UsedNames {
  return namesIn(graphOf(metadata), registered, FIELD);
}

/** The knobs as they are recorded: with every default, and ids for the names of participants. */
export function resolvedKnobs(metadata: SessionMetadata, vocabulary: Vocabulary): JsonObject {
  return { ...metadata.knobs, graph: resolveGraph(graphOf(metadata), vocabulary, peopleOf(metadata), FIELD) };
}

/** As they are recorded: whoever is named is named by its id. */
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

/**
 * Compiling costs what the graph is long, so it is done once for each knobs object: the metadata of a session in memory
 * hold the same one from envelope to envelope.
 */
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
