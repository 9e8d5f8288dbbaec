/** The expectations of a new session: every name known, every parameter checked, everyone resolved; and warnings of what would never happen. */

import { type CreateFacts, planMetadata } from '../../core/decisions/create.ts';
import { type FieldProblem, internalError, WireError } from '../../core/lib/errors.ts';
import { canonicalJson, describeValue, isPlainObject, type Json, type JsonObject } from '../../core/lib/json.ts';
import { type BoundExpectation, type Evaluator, toExpectationSet } from '../../core/ports/expectation.ts';
import type { ExpectationEntry, SessionMetadata } from '../../core/records/session/session.ts';
import { ignoreRejection } from '../../core/state/check-expectation-output.ts';
import type { Expectations } from '../extensions/expectations.ts';
import type { VersionedRegistry } from '../lib/versioned-registry.ts';

/** The same request with what its expectations come to, and the versions they begin with. */
export function withExpectations(expectations: Expectations, facts: CreateFacts): CreateFacts {
  const given = facts.expectations ?? facts.adapter.manifest.expectations;
  if (given.length === 0) return facts;
  const metadata = planMetadata(facts);
  const watched = given.map((entry, index): BoundExpectation => {
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
    watch: toExpectationSet(watched),
    versions: {
      ...facts.versions,
      evaluators: Object.fromEntries(watched.map(({ evaluator }) => [evaluator.name, evaluator.version])),
      handlers: Object.fromEntries(watched.map(({ handler }) => [handler.name, handler.version])),
    },
  };
}

/** Entries that are allowed and probably not meant. What its type brings along is the type's affair. */
export function expectationWarnings(
  { evaluators, handlers }: Expectations,
  session: SessionMetadata,
  ofType: readonly ExpectationEntry[],
): readonly string[] {
  const entries = session.manifest.expectations;
  if (canonicalJson(entries as unknown as Json) === canonicalJson(ofType as unknown as Json)) return [];
  return entries.flatMap((entry, i) => {
    const { name, on_violation } = entry;
    const ofSession = evaluators.newest(name)?.violator === 'session';
    const isIdle = ofSession && handlers.newest(on_violation)?.needsParticipant === true;
    const idle = `expectations.${i}.on_violation: ${on_violation} does nothing here, for the violator of ${name} is the session`;
    return [...nobody(entry, session, `expectations.${i}.applies_to`), ...(isIdle ? [idle] : [])];
  });
}

function newest<T>(parts: VersionedRegistry<T>, name: string, field: string, kind: string): T {
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
    ignoreRejection(problem);
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
  const received = describeValue(applies_to);
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

function nobody({ applies_to, name }: ExpectationEntry, session: SessionMetadata, field: string): readonly string[] {
  const isSomebody = session.participants.some(
    ({ agent_id, role }) => applies_to?.includes(agent_id) || applies_to?.includes(role),
  );
  if (applies_to === undefined || isSomebody) return [];
  return [`${field}: nobody in the session is ${applies_to.join(' or ')}, so ${name} waits for nobody`];
}
