/** The evaluators and handlers the hub was handed, by name and version, and the expectations of a session made of them. */

import { HubError } from '../core/errors.ts';
import { type Evaluator, type ViolationHandler, type Watch, type WatchedEntry, watchOf } from '../core/expectation.ts';
import { describe, isPlainObject, type JsonObject } from '../core/json.ts';
import type { ExpectationEntry } from '../core/session.ts';
import { ByVersion } from './by-version.ts';

export class Expectations {
  readonly evaluators: ByVersion<Evaluator> = new ByVersion('evaluator', 'evaluator_exists');
  readonly handlers: ByVersion<ViolationHandler> = new ByVersion('handler', 'handler_exists');

  registerEvaluator(evaluator: Evaluator): void {
    check(evaluator, 'evaluator', ['checkParams', 'waits']);
    this.evaluators.register(evaluator.name, evaluator.version, evaluator);
  }

  registerHandler(handler: ViolationHandler): void {
    check(handler, 'handler', ['act']);
    this.handlers.register(handler.name, handler.version, handler);
  }

  /** What a log names, or what is missing of it. A log from before expectations were run names nothing: none of them run. */
  recorded(entries: readonly ExpectationEntry[], versions: JsonObject): Watch | null | { readonly missing: string } {
    if (versions.evaluators === undefined) return null;
    const missing = new Set<string>();
    const watched: WatchedEntry[] = [];
    for (const [index, entry] of entries.entries()) {
      const evaluator = exact(this.evaluators, 'evaluator', entry.name, versions.evaluators, missing);
      const handler = exact(this.handlers, 'handler', entry.on_violation, versions.handlers, missing);
      if (evaluator !== null && handler !== null) watched.push({ index, entry, evaluator, handler });
    }
    return missing.size === 0 ? watchOf(watched) : { missing: [...missing].join(', ') };
  }
}

function exact<T>(parts: ByVersion<T>, kind: string, name: string, versions: unknown, missing: Set<string>): T | null {
  const version = isPlainObject(versions) ? versions[name] : undefined;
  const part = parts.find(name, Number(version));
  if (part === null) missing.add(`${kind} ${name} version ${String(version)}`);
  return part;
}

const NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

function check(given: unknown, kind: string, members: readonly string[]): void {
  const bad = (problem: string) => new HubError(`bad_${kind}`, problem);
  if (typeof given !== 'object' || given === null) {
    throw bad(`an ${kind} is an object with name, version, ${members.join(', ')}; got ${describe(given)}`);
  }
  const name: unknown = Reflect.get(given, 'name');
  const version: unknown = Reflect.get(given, 'version');
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw bad(`name of an ${kind}: expected one such as "turn_within", got ${describe(name)}`);
  }
  if (!Number.isSafeInteger(version) || Number(version) < 1) {
    throw bad(`version of ${kind} ${name}: expected a whole number from 1 on, got ${describe(version)}`);
  }
  const lacking = members.filter((member) => typeof Reflect.get(given, member) !== 'function');
  if (lacking.length > 0) throw bad(`${kind} ${name}: ${lacking.join(', ')} must be a function`);
}
