/** The entries of the registry's log: how they are written, what a skill in one says, and why one is refused. */

import type { Draft, Entry } from '../core/records/session/envelope.ts';
import { HUB_ID, PLAIN } from '../core/records/session/envelope.ts';
import { WireError } from '../core/lib/errors.ts';
import type { JsonObject } from '../core/lib/json.ts';
import type { Passport } from '../core/records/identity/passport.ts';
import type { Resume } from '../core/records/identity/resume-schema.ts';
import { renderSkill, type Skill, splitSkill } from '../core/records/identity/skill.ts';
import type { Stamp } from '../core/records/session/stamp.ts';
import { REGISTRY_LOG } from '../core/ports/store.ts';
import type { Judgement } from './log/staged-log.ts';

/** How far the log is: all of the state that is not in the identities. */
export interface Position {
  readonly seq: number;
  readonly envelope_id: string | null;
}

export const NOTHING: Position = { seq: 0, envelope_id: null };

/** One entry with the answer it gives. */
export function append<T>(
  state: Position,
  stamp: Stamp,
  type: string,
  data: JsonObject,
  answer: (entry: Entry) => T,
): Judgement<Position, T> {
  const entry: Entry = { envelope: { ...draftOf(type, data), ...stamp, seq: state.seq + 1, depth: 0 }, turn: null };
  const after = { seq: entry.envelope.seq, envelope_id: entry.envelope.envelope_id };
  return { kind: 'accept', unit: { entries: [entry] }, after, answer: answer(entry) };
}

function draftOf(event_type: string, event_data: JsonObject): Draft {
  return {
    session_id: REGISTRY_LOG,
    sender_id: HUB_ID,
    audience: [],
    event_type,
    event_data,
    ...PLAIN,
  };
}

export function nameTaken(name: string, retired: boolean): WireError {
  const why = retired
    ? 'it belonged to an identity that was retired'
    : 'it is registered already: say hello to bind it';
  return new WireError('conflict', `name "${name}" is taken; ${why}`, { field: 'name', received: name });
}

/** Written by setSkill of the registry. */
export function skillIn({ envelope: { event_data, created_at } }: Entry, passport: Passport, resume: Resume): Skill {
  const { text } = event_data;
  if (typeof text !== 'string') {
    return { ...renderSkill(passport, resume), version: Number(event_data.version), last_updated: created_at };
  }
  return {
    agent_id: passport.agent_id,
    name: passport.name,
    text,
    front_matter: event_data.front_matter as JsonObject,
    body: splitSkill(text)?.body ?? text,
    rendered: false,
    version: Number(event_data.version),
    last_updated: created_at,
  };
}

export function otherVersion(what: 'resume' | 'rule', version: number, expected: number): WireError {
  const message = `the ${what} is at version ${version}, expected_version was ${expected}; read it and try again`;
  return new WireError('conflict', message, { version });
}

export function ruleLoosened(field: string): WireError {
  const message = `rule.${field}: this would allow more than before, and to loosen a rule needs the grant "rules"`;
  return new WireError('forbidden', message, { field: `rule.${field}` });
}

export function noAgent(agentId: string): WireError {
  return new WireError('not_found', `no agent ${agentId}`);
}
