/** Validates the expectations of a new session, resolves their names, and warns of entries that can never fire. */

import { type CreateFacts, planMetadata } from '../../core/decisions/create.ts';
import { type FieldProblem, internalError, WireError } from '../../core/lib/errors.ts';
import { canonicalJson, describeValue, isPlainObject, type Json, type JsonObject } from '../../core/lib/json.ts';
import { type BoundExpectation, type Evaluator, toExpectationSet } from '../../core/ports/expectation.ts';
import type { ExpectationEntry, SessionMetadata } from '../../core/records/session/session.ts';
import { ignoreRejection } from '../../core/state/check-expectation-output.ts';
import type { Expectations } from '../extensions/expectations.ts';
import type { VersionedRegistry } from '../lib/versioned-registry.ts';

/** Returns the facts with resolved expectations and the versions of their evaluators and handlers. */
export function withExpectations(expectations: Expectations, facts: CreateFacts): CreateFacts {
  const entries = facts.expectations ?? facts.adapter.manifest.expectations;
  if (entries.length === 0) return facts;
  const metadata = planMetadata(facts);
  const watched = entries.map((entry, index): BoundExpectation => {
    const field = `expectations.${index}`;
    const evaluator = newest(expectations.evaluators, entry.name, `${field}.name`, 'an evaluator');
    const handler = newest(expectations.handlers, entry.on_violation, `${field}.on_violation`, 'a handler');
    checkParams(evaluator, entry, `${field}.params`);
    checkAppliesTo(evaluator, entry, `${field}.applies_to`);
    return { index, entry: resolved(entry, metadata, `${field}.applies_to`), evaluator, handler };
  });
  const resolvedEntries = watched.map(({ entry }) => entry);
  // If nothing was resolved, keep the adapter's list, which all its sessions share.
  const isSame = resolvedEntries.every((entry, i) => entry === entries[i]);
  return {
    ...facts,
    expectations: isSame ? facts.expectations : resolvedEntries,
    watch: toExpectationSet(watched),
    versions: {
      ...facts.versions,
      evaluators: Object.fromEntries(watched.map(({ evaluator }) => [evaluator.name, evaluator.version])),
      handlers: Object.fromEntries(watched.map(({ handler }) => [handler.name, handler.version])),
    },
  };
}

/** Warnings about valid entries that are probably mistakes. Defaults of the session type are not checked. */
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
    const idle = `expectations.${i}.on_violation: ${on_violation} has no effect: the violator of ${name} is the session`;
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

/** A throw or a malformed answer is a defect of the evaluator. */
function asked(evaluator: Evaluator, params: JsonObject): FieldProblem | null {
  try {
    const problem: unknown = evaluator.checkParams(params);
    if (problem === null || problem === undefined) return null;
    ignoreRejection(problem);
    if (!isPlainObject(problem)) throw new TypeError('checkParams must return {field, expected, received} or null');
    const { field, expected, received } = problem;
    return { field: String(field), expected: String(expected), received: String(received) };
  } catch (thrown) {
    throw internalError(thrown, `checkParams of ${evaluator.name}`);
  }
}

/** Rejects an empty list, and any list where the violator is the session. */
function checkAppliesTo({ violator, name }: Evaluator, { applies_to }: ExpectationEntry, field: string): void {
  if (applies_to === undefined) return;
  const received = describeValue(applies_to);
  if (applies_to.length === 0) throw refused({ field, expected: 'at least one role or participant', received });
  if (violator !== 'session') return;
  throw refused({ field, expected: `no list, because the violator of ${name} is the session`, received });
}

/** Keeps roles, turns participant names into ids, and rejects everything else. */
function resolved(entry: ExpectationEntry, { participants, manifest }: SessionMetadata, at: string): ExpectationEntry {
  const { applies_to } = entry;
  if (applies_to === undefined) return entry;
  const roles = new Set([...manifest.participants.roles, ...participants.map(({ role }) => role)]);
  const ids = applies_to.map((ref, i) => {
    if (roles.has(ref)) return ref;
    const participant =
      participants.find(({ agent_id }) => agent_id === ref) ?? participants.find(({ name }) => name === ref);
    if (participant !== undefined) return participant.agent_id;
    const known = [...roles, ...participants.map(({ name }) => name)].join(', ');
    throw refused({ field: `${at}.${i}`, expected: `a role or a participant: ${known}`, received: `"${ref}"` });
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
  return [`${field}: no participant is ${applies_to.join(' or ')}, so ${name} never fires`];
}
