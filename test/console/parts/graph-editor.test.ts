// What an editor of graphs says is wrong: whom the graph names and who takes no part, and what the hub said as long as it is of this text.

import fc from 'fast-check';
import { workflow } from 'parley-hub/adapters/workflow';
import type { Json, JsonObject } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { resolveGraph } from '../../../adapters/graph/resolve-graph.ts';
import { BUILT_IN } from '../../../adapters/graph/vocabulary.ts';
import { readJson } from '../../../src/console/lib/read-json.ts';
import {
  activeErrors,
  type CreateDraft,
  hasOnlyNames,
  newDraft,
} from '../../../src/console/parts/create/create-draft.ts';
import { findProblems, findUnknownParticipants } from '../../../src/console/parts/graph-editor/graph-problems.ts';
import { TEMPLATES } from '../../../src/console/parts/graph-editor/templates.ts';
import { anyGraph, NAMES } from '../../adapters/graph/any-graph.ts';

const from = (agent_id: string) => ({ name: 'from_speaker', args: { agent_id } });

describe('whom a graph names', () => {
  const graph: JsonObject = {
    initial_speaker: 'adda',
    transitions: [
      {
        when: {
          name: 'all_of',
          args: { conditions: [{ name: 'not', args: { condition: from('kenn') } }, from('ada')] },
        },
        then: { name: 'next_in', args: { agents: ['me', 'dan'] } },
      },
      { when: { name: 'text_contains', args: { any: ['nobody'] } }, then: { name: 'agent', args: { agent_id: 'bo' } } },
    ],
    default_target: { name: 'agent', args: { agent_id: 'eve' } },
  };

  it('[UI63] and who takes no part is told at its place, wherever the graph may name somebody', () => {
    const found = findUnknownParticipants(graph, ['me', 'ada']);
    expect(found.map(({ field }) => field)).toEqual([
      'initial_speaker',
      'transitions.0.when.args.conditions.0.args.condition.args.agent_id',
      'transitions.0.then.args.agents.1',
      'transitions.1.then.args.agent_id',
      'default_target.args.agent_id',
    ]);
    expect(found[0]?.message).toBe('expected a participant (me, ada), got "adda"');
  });

  it('[UI63] is nobody else for a graph to begin with, and what is no graph names nobody', () => {
    for (const { make } of TEMPLATES)
      expect(findUnknownParticipants(make(['me', 'ada', 'ken']), ['ken', 'ada', 'me'])).toEqual([]);
    fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(findUnknownParticipants(value as Json, []))));
  });

  it('[UI63] by its id may be anybody: what it is called the page does not know', () => {
    expect(findUnknownParticipants({ initial_speaker: '0123456789abcdef0123456789abcdef' }, ['me'])).toEqual([]);
  });

  it('[UI63] is for the hub who it is for the page, in every graph of built-in parts', () => {
    fc.assert(
      fc.property(anyGraph, fc.subarray([...NAMES]), (any, names) => {
        const people = { names, idOf: (name: string) => names.find((one) => one === name) ?? null };
        const [first] = findUnknownParticipants(any as unknown as Json, names);
        const refusal = tried(() => resolveGraph(any, BUILT_IN, people, 'graph'));
        expect(refusal).toBe(first === undefined ? null : `graph.${first.field}: ${wordsFor(names, first.message)}`);
      }),
    );
  });

  it('[UI63] is only known when everybody takes part by name', () => {
    const draft = newDraft(workflow.manifest);
    const asked = (participants: CreateDraft['participants']) => hasOnlyNames({ ...draft, participants });
    expect(asked([{ by: 'name', text: 'ada ' }])).toBe(true);
    expect(asked([{ by: 'capability', text: '' }])).toBe(true);
    expect(asked([{ by: 'capability', text: 'review' }])).toBe(false);
    expect(asked([{ by: 'name', text: '0123456789abcdef0123456789abcdef' }])).toBe(false);
  });
});

describe('what is wrong with a graph', () => {
  const text = '{"initial_speaker": "adda"}';
  const seen = { checked: null, failure: null, people: ['me', 'ada'] };
  const refused = [{ field: 'knobs.graph.initial_speaker', message: 'the hub says no' }];

  it('[UI63] who takes no part is told once, by the hub if it has said so', () => {
    const told = (given: Partial<Parameters<typeof findProblems>[0]>) =>
      findProblems({ ...seen, text, read: readJson(text), refused: [], ...given }).map(({ message, at }) => [
        message,
        at,
      ]);
    expect(told({})).toEqual([['expected a participant (me, ada), got "adda"', 20]]);
    expect(told({ refused })).toEqual([['the hub says no', 20]]);
    expect(told({ people: null })).toEqual([]);
  });

  it('[UI63] that there is none is told too', () => {
    const missing = [{ field: 'knobs.graph', message: 'is needed' }];
    expect(findProblems({ ...seen, text: ' ', read: null, refused: missing })).toMatchObject([
      { message: 'is needed', line: 1 },
    ]);
  });
});

describe('what the hub said against a session', () => {
  const draft: CreateDraft = {
    ...newDraft(workflow.manifest),
    participants: [{ by: 'name', text: 'ada' }],
    knobs: { graph: '{"initial_speaker": "adda"}', close_by: 'any' },
    options: { ttl: '2h' },
  };
  const refusal = (field: string) => ({ draft, errors: [{ field, message: 'no' }] });
  const stays = (field: string, now: Partial<CreateDraft>) =>
    activeErrors(refusal(field), { ...draft, ...now }).length === 1;

  it('[UI63] of a graph goes when its text is another, or who takes part', () => {
    const field = 'knobs.graph.initial_speaker';
    expect(stays(field, { options: { ttl: '3h' } })).toBe(true);
    expect(stays(field, { knobs: { graph: '{"initial_speaker": "ada"}', close_by: 'any' } })).toBe(false);
    expect(stays(field, { participants: [{ by: 'name', text: 'adda' }] })).toBe(false);
  });

  it('[UI80] of a field goes when that field is another, and of all of it stays until it is tried again', () => {
    expect(stays('params.ttl', { options: { ttl: '3h' } })).toBe(false);
    expect(stays('ttl', { participants: [] })).toBe(true);
    expect(stays('participants.0', { participants: [] })).toBe(false);
    expect(stays('knobs.close_by', { knobs: { ...(draft.knobs as object), graph: '' } })).toBe(true);
    expect(stays('', { options: {} })).toBe(true);
  });
});

/** A hub has always somebody in a session, and has no words for nobody. */
function wordsFor(names: readonly string[], message: string): string {
  return names.length === 0 ? message.replace(' ()', '') : message;
}

function tried(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
