/** The evaluators and handlers the hub was handed, by name and version, and the expectations of a session made of them. */

import { HubError } from '../../core/lib/errors.ts';
import { type Evaluator, type ViolationHandler, type Watch, type WatchedEntry, watchOf } from '../../core/ports/expectation.ts';
import { isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import type { ExpectationEntry } from '../../core/records/session/session.ts';
import { ByVersion } from '../by-version.ts';
import { checkPart, type PartKind } from '../check-part.ts';

const TIMED: PartKind = {
  kind: 'an evaluator',
  code: 'bad_evaluator',
  example: 'turn_within',
  members: ['checkParams', 'waits'],
  optional: ['describe'],
};
const ACCEPTING: PartKind = { ...TIMED, example: 'max_turns', members: ['checkParams', 'fold', 'violators'] };
export const HANDLER: PartKind = { kind: 'a handler', code: 'bad_handler', example: 'auto_close', members: ['act'] };

export class Expectations {
  readonly evaluators: ByVersion<Evaluator> = new ByVersion('evaluator', 'evaluator_exists');
  readonly handlers: ByVersion<ViolationHandler> = new ByVersion('handler', 'handler_exists');

  registerEvaluator(evaluator: Evaluator): void {
    checkPart(evaluator, evaluatorKind(evaluator));
    this.evaluators.register(evaluator.name, evaluator.version, evaluator);
  }

  registerHandler(handler: ViolationHandler): void {
    checkPart(handler, HANDLER);
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

/** One of the two kinds: what waits does not look at what is accepted. */
export function evaluatorKind(evaluator: unknown): PartKind {
  const has = (member: string) =>
    typeof evaluator === 'object' && evaluator !== null && Reflect.get(evaluator, member) !== undefined;
  if (!has('violators') && !has('fold')) return TIMED;
  if (has('waits')) {
    throw new HubError('bad_evaluator', 'an evaluator has waits, or fold and violators; got both');
  }
  return ACCEPTING;
}

function exact<T>(parts: ByVersion<T>, kind: string, name: string, versions: unknown, missing: Set<string>): T | null {
  const version = isPlainObject(versions) ? versions[name] : undefined;
  const part = parts.find(name, Number(version));
  if (part === null) missing.add(`${kind} ${name} version ${String(version)}`);
  return part;
}
