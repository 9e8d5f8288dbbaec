/** Builds graph templates for the chosen participants. */

import type { JsonObject } from '../../../core/lib/json.ts';

interface GraphTemplate {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  /** `people`: at least one name; the first speaks first. */
  make(people: readonly string[]): JsonObject;
}

export const TEMPLATES: readonly GraphTemplate[] = [
  {
    name: 'sequential',
    title: 'Sequential',
    help: 'each participant speaks once, in order; the last one ends the session',
    make: (people) => ({
      initial_speaker: first(people),
      transitions: [...steps(people), rule(from(people.at(-1) ?? ''), ending('sequence_complete'))],
      default_target: null,
      max_turns: people.length,
    }),
  },
  {
    name: 'loop',
    title: 'Loop',
    help: 'participants speak in a circle, until one says DONE or five rounds are over',
    make: (people) => ({
      initial_speaker: first(people),
      transitions: [
        { when: says('DONE'), then: ending('done'), priority: -1 },
        ...steps(people),
        rule(from(people.at(-1) ?? ''), to(first(people))),
      ],
      default_target: null,
      max_turns: people.length * 5,
    }),
  },
  {
    name: 'hub_and_spoke',
    title: 'Hub and spoke',
    help: 'the first participant asks others by @name and gets each answer; a message without a name ends the session',
    make: ([hub = '', ...spokes]) => ({
      initial_speaker: hub,
      transitions: spokes.flatMap((spoke) => [
        rule({ name: 'all_of', args: { conditions: [from(hub), says(`@${spoke}`)] } }, to(spoke)),
        rule(from(spoke), to(hub)),
      ]),
      default_target: ending('answered'),
      max_turns: 40,
    }),
  },
];

function first(people: readonly string[]): string {
  return people[0] ?? '';
}

function steps(people: readonly string[]): readonly JsonObject[] {
  return people.slice(1).map((next, i) => rule(from(people[i] ?? ''), to(next)));
}

function rule(when: JsonObject, then: JsonObject): JsonObject {
  return { when, then };
}

function from(agent_id: string): JsonObject {
  return { name: 'from_speaker', args: { agent_id } };
}

function says(text: string): JsonObject {
  return { name: 'text_contains', args: { any: [text] } };
}

function to(agent_id: string): JsonObject {
  return { name: 'agent', args: { agent_id } };
}

function ending(reason: string): JsonObject {
  return { name: 'terminate', args: { reason } };
}
