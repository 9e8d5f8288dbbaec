// Problems shown by the graph editor: unknown participants, and errors of the hub about the current text.

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
import { allOf, from, says, to } from './rules.ts';

describe('unknown participants of a graph', () => {
  const graph: JsonObject = {
    initial_speaker: 'adda',
    transitions: [
      {
        when: allOf({ name: 'not', args: { condition: from('kenn') } }, from('ada')),
        then: { name: 'next_in', args: { agents: ['me', 'dan'] } },
      },
      { when: says('nobody'), then: to('bo') },
    ],
    default_target: to('eve'),
  };

  it('[UI63] are reported at every place that can name a participant', () => {
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

  it('[UI63] do not occur in templates, nor in values that are no graph', () => {
    for (const { make } of TEMPLATES)
      expect(findUnknownParticipants(make(['me', 'ada', 'ken']), ['ken', 'ada', 'me'])).toEqual([]);
    fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(findUnknownParticipants(value as Json, []))));
  });

  it('[UI63] do not include ids, whose names the page does not know', () => {
    expect(findUnknownParticipants({ initial_speaker: '0123456789abcdef0123456789abcdef' }, ['me'])).toEqual([]);
  });

  it('[UI63] are the same for the hub and the page, in every graph of built-in parts', () => {
    fc.assert(
      fc.property(anyGraph, fc.subarray([...NAMES]), (any, names) => {
        const people = { names, idOf: (name: string) => names.find((one) => one === name) ?? null };
        const [first] = findUnknownParticipants(any as unknown as Json, names);
        const refusal = errorOf(() => resolveGraph(any, BUILT_IN, people, 'graph'));
        expect(refusal).toBe(first === undefined ? null : `graph.${first.field}: ${hubMessage(names, first.message)}`);
      }),
    );
  });

  it('[UI63] are only known if all participants are given by name', () => {
    const draft = newDraft(workflow.manifest);
    const asked = (participants: CreateDraft['participants']) => hasOnlyNames({ ...draft, participants });
    expect(asked([{ by: 'name', text: 'ada ' }])).toBe(true);
    expect(asked([{ by: 'capability', text: '' }])).toBe(true);
    expect(asked([{ by: 'capability', text: 'review' }])).toBe(false);
    expect(asked([{ by: 'name', text: '0123456789abcdef0123456789abcdef' }])).toBe(false);
  });
});

describe('problems of a graph', () => {
  const text = '{"initial_speaker": "adda"}';
  const seen = { checked: null, failure: null, people: ['me', 'ada'] };
  const refused = [{ field: 'knobs.graph.initial_speaker', message: 'the hub says no' }];

  it('[UI63] name an unknown participant once, preferring the error of the hub', () => {
    const problems = (given: Partial<Parameters<typeof findProblems>[0]>) => {
      const found = findProblems({ ...seen, text, read: readJson(text), refused: [], ...given });
      return found.map(({ message, at }) => [message, at]);
    };
    expect(problems({})).toEqual([['expected a participant (me, ada), got "adda"', 20]]);
    expect(problems({ refused })).toEqual([['the hub says no', 20]]);
    expect(problems({ people: null })).toEqual([]);
  });

  it('[UI63] include a missing graph', () => {
    const missing = [{ field: 'knobs.graph', message: 'is needed' }];
    const found = findProblems({ ...seen, text: ' ', read: null, refused: missing });
    expect(found).toMatchObject([{ message: 'is needed', line: 1 }]);
  });
});

describe('errors of a rejected session', () => {
  const draft: CreateDraft = {
    ...newDraft(workflow.manifest),
    participants: [{ by: 'name', text: 'ada' }],
    knobs: { graph: '{"initial_speaker": "adda"}', close_by: 'any' },
    options: { ttl: '2h' },
  };
  const refusal = (field: string) => ({ draft, errors: [{ field, message: 'no' }] });
  const stays = (field: string, now: Partial<CreateDraft>) =>
    activeErrors(refusal(field), { ...draft, ...now }).length === 1;

  it('[UI63] disappear from a graph when its text or the participants change', () => {
    const field = 'knobs.graph.initial_speaker';
    expect(stays(field, { options: { ttl: '3h' } })).toBe(true);
    expect(stays(field, { knobs: { graph: '{"initial_speaker": "ada"}', close_by: 'any' } })).toBe(false);
    expect(stays(field, { participants: [{ by: 'name', text: 'adda' }] })).toBe(false);
  });

  it('[UI80] disappear from a field when it changes; those without a field stay until the next attempt', () => {
    expect(stays('params.ttl', { options: { ttl: '3h' } })).toBe(false);
    expect(stays('ttl', { participants: [] })).toBe(true);
    expect(stays('participants.0', { participants: [] })).toBe(false);
    expect(stays('knobs.close_by', { knobs: { ...(draft.knobs as object), graph: '' } })).toBe(true);
    expect(stays('', { options: {} })).toBe(true);
  });
});

/** The hub lists no names if there are none. */
function hubMessage(names: readonly string[], message: string): string {
  return names.length === 0 ? message.replace(' ()', '') : message;
}

function errorOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
