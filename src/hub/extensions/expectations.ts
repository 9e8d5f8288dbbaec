/** Registers evaluators and handlers, and binds the expectations of a session to them. */

import { HubError } from '../../core/lib/errors.ts';
import { isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import {
  type BoundExpectation,
  type Evaluator,
  type ExpectationSet,
  toExpectationSet,
  type ViolationHandler,
} from '../../core/ports/expectation.ts';
import type { ExpectationEntry } from '../../core/records/session/session.ts';
import { NamedRegistry, type RegistrationKind, type VersionedRegistry } from '../lib/versioned-registry.ts';

const TIMED: RegistrationKind = {
  kind: 'an evaluator',
  code: 'bad_evaluator',
  example: 'turn_within',
  members: ['checkParams', 'waits'],
  optional: ['describe'],
};
const ACCEPTING: RegistrationKind = { ...TIMED, example: 'max_turns', members: ['checkParams', 'fold', 'violators'] };
export const HANDLER: RegistrationKind = {
  kind: 'a handler',
  code: 'bad_handler',
  example: 'auto_close',
  members: ['act'],
};

export class Expectations {
  readonly evaluators: NamedRegistry<Evaluator> = new NamedRegistry('evaluator', 'evaluator_exists', evaluatorKind);
  readonly handlers: NamedRegistry<ViolationHandler> = new NamedRegistry('handler', 'handler_exists', () => HANDLER);

  registerEvaluator(evaluator: Evaluator): void {
    this.evaluators.register(evaluator);
  }

  registerHandler(handler: ViolationHandler): void {
    this.handlers.register(handler);
  }

  /** The expectations a log names, or what is missing; null if the log is older than expectations: none run. */
  recorded(
    entries: readonly ExpectationEntry[],
    versions: JsonObject,
  ): ExpectationSet | null | { readonly missing: string } {
    if (versions.evaluators === undefined) return null;
    const missing = new Set<string>();
    const watched: BoundExpectation[] = [];
    for (const [index, entry] of entries.entries()) {
      const evaluator = exact(this.evaluators, 'evaluator', entry.name, versions.evaluators, missing);
      const handler = exact(this.handlers, 'handler', entry.on_violation, versions.handlers, missing);
      if (evaluator !== null && handler !== null) watched.push({ index, entry, evaluator, handler });
    }
    return missing.size === 0 ? toExpectationSet(watched) : { missing: [...missing].join(', ') };
  }
}

/** An evaluator either waits for deadlines or checks accepted envelopes, never both. */
export function evaluatorKind(evaluator: unknown): RegistrationKind {
  const has = (member: string) =>
    typeof evaluator === 'object' && evaluator !== null && Reflect.get(evaluator, member) !== undefined;
  if (!has('violators') && !has('fold')) return TIMED;
  if (has('waits')) {
    throw new HubError('bad_evaluator', 'an evaluator has waits, or fold and violators; got both');
  }
  return ACCEPTING;
}

function exact<T>(
  parts: VersionedRegistry<T>,
  kind: string,
  name: string,
  versions: unknown,
  missing: Set<string>,
): T | null {
  const version = isPlainObject(versions) ? versions[name] : undefined;
  const part = parts.find(name, Number(version));
  if (part === null) missing.add(`${kind} ${name} version ${String(version)}`);
  return part;
}
