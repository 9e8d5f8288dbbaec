/** The expectations of a session that is about to be created: every name known, every parameter checked, everyone resolved. */

import { disown } from '../../core/state/check-expectation-output.ts';
import { type CreateFacts, plannedMetadata } from '../../core/decisions/create.ts';
import { type FieldProblem, internalError, WireError } from '../../core/lib/errors.ts';
import { type Evaluator, type WatchedEntry, watchOf } from '../../core/ports/expectation.ts';
import { describe, isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import type { ExpectationEntry, SessionMetadata } from '../../core/records/session/session.ts';
import type { ByVersion } from '../by-version.ts';
import type { HubParts } from '../parts.ts';

/** The same request with what its expectations come to, and the versions they begin with. */
export function withExpectations({ expectations }: HubParts, facts: CreateFacts): CreateFacts {
  const given = facts.expectations ?? facts.adapter.manifest.expectations;
  if (given.length === 0) return facts;
  const metadata = plannedMetadata(facts);
  const watched = given.map((entry, index): WatchedEntry => {
    const field = `expectations.${index}`;
    const evaluator = newest(expectations.evaluators, entry.name, `${field}.name`, 'an evaluator');
    const handler = newest(expectations.handlers, entry.on_violation, `${field}.on_violation`, 'a handler');
    checkParams(evaluator, entry, `${field}.params`);
    checkAppliesTo(evaluator, entry, `${field}.applies_to`);
    return { index, entry: resolved(entry, metadata, `${field}.applies_to`), evaluator, handler };
  });
  const entries = watched.map(({ entry }) => entry);
  // Unless something was resolved it stays the adapter's own list, which all its sessions share.
  const isSame = entries.every((entry, i) => entry === given[i]);
  return {
    ...facts,
    expectations: isSame ? facts.expectations : entries,
    watch: watchOf(watched),
    versions: {
      ...facts.versions,
      evaluators: Object.fromEntries(watched.map(({ evaluator }) => [evaluator.name, evaluator.version])),
      handlers: Object.fromEntries(watched.map(({ handler }) => [handler.name, handler.version])),
    },
  };
}

function newest<T>(parts: ByVersion<T>, name: string, field: string, kind: string): T {
  const part = parts.newest(name);
  if (part !== null) return part;
  throw refused({
    field,
    expected: `${kind}: ${parts.names.join(', ') || 'none is registered'}`,
    received: `"${name}"`,
  });
}

function checkParams(evaluator: Evaluator, { params }: ExpectationEntry, at: string): void {
  const problem = asked(evaluator, params);
  if (problem !== null) throw refused({ ...problem, field: `${at}.${problem.field}` });
}

/** A throw, or an answer that is no problem, is the evaluator's defect. */
function asked(evaluator: Evaluator, params: JsonObject): FieldProblem | null {
  try {
    const problem: unknown = evaluator.checkParams(params);
    if (problem === null || problem === undefined) return null;
    disown(problem);
    if (!isPlainObject(problem)) throw new TypeError('checkParams gives {field, expected, received} or null');
    const { field, expected, received } = problem;
    return { field: String(field), expected: String(expected), received: String(received) };
  } catch (thrown) {
    throw internalError(thrown, `checkParams of ${evaluator.name}`);
  }
}

/** A list that leaves out everybody, or that nobody would look at, is a mistake. */
function checkAppliesTo({ violator, name }: Evaluator, { applies_to }: ExpectationEntry, field: string): void {
  if (applies_to === undefined) return;
  const received = describe(applies_to);
  if (applies_to.length === 0) throw refused({ field, expected: 'at least one role or participant', received });
  if (violator !== 'session') return;
  throw refused({ field, expected: `nothing, for the violator of ${name} is the session`, received });
}

/** Roles stay what they are; names of participants become ids; anything else is a stranger. */
function resolved(entry: ExpectationEntry, { participants, manifest }: SessionMetadata, at: string): ExpectationEntry {
  const { applies_to } = entry;
  if (applies_to === undefined) return entry;
  const roles = new Set([...manifest.participants.roles, ...participants.map(({ role }) => role)]);
  const ids = applies_to.map((who, i) => {
    if (roles.has(who)) return who;
    const participant =
      participants.find(({ agent_id }) => agent_id === who) ?? participants.find(({ name }) => name === who);
    if (participant !== undefined) return participant.agent_id;
    const known = [...roles, ...participants.map(({ name }) => name)].join(', ');
    throw refused({ field: `${at}.${i}`, expected: `a role or a participant: ${known}`, received: `"${who}"` });
  });
  return ids.every((id, i) => id === applies_to[i]) ? entry : { ...entry, applies_to: ids };
}

function refused(problem: FieldProblem): WireError {
  const { field, expected, received } = problem;
  return new WireError('invalid_create', `${field}: expected ${expected}, got ${received}`, { ...problem });
}
