/** Asks the arbiter, which may be custom code: a throw, a timeout or an invalid answer denies and is reported. */

import { asError, HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import { type Arbiter, type ArbiterMember, type ArbiterVerdict, ruleArbiter } from '../../core/ports/arbiter.ts';
import type { Ground } from '../log/ground.ts';

/** The reason of a denial; null if allowed. */
export type Denial = string | null;
type ArbiterGround = Pick<Ground, 'clock' | 'log' | 'limits' | 'events'>;
type Authorizing = Exclude<ArbiterMember, 'resolveUnknown'>;

const FAILED = 'the arbiter failed, so the hub denies';

export class AskArbiter {
  /** The members a custom arbiter implements; the hub calls them even where the rules allow everything. */
  readonly replaced: ReadonlySet<ArbiterMember>;
  private readonly ground: ArbiterGround;
  private readonly arbiter: Arbiter;

  constructor(ground: ArbiterGround, given: Partial<Arbiter> = {}) {
    this.ground = ground;
    checkArbiter(given);
    const members = (Object.keys(ruleArbiter) as ArbiterMember[]).filter((member) => member in given);
    this.replaced = new Set(members);
    // Bind the members: an arbiter may be an object with state.
    const own = Object.fromEntries(members.map((member) => [member, bound(given, member)]));
    this.arbiter = { ...ruleArbiter, ...own };
  }

  /** Returns a promise only if the arbiter does. */
  denial<M extends Authorizing>(member: M, ask: Parameters<Arbiter[M]>[0]): Denial | Promise<Denial> {
    return this.asked(
      member,
      () => (this.arbiter[member] as (ask: unknown) => unknown)(ask),
      (answer) => (isVerdict(answer) ? reasonOf(answer) : undefined),
      FAILED,
    );
  }

  resolveUnknown(ask: Parameters<Arbiter['resolveUnknown']>[0]): Denial | Promise<Denial> {
    return this.asked(
      'resolveUnknown',
      () => this.arbiter.resolveUnknown(ask),
      (answer) => (answer === null || (typeof answer === 'string' && answer !== '') ? answer : undefined),
      null,
    );
  }

  /** `read` returns undefined for an invalid answer. Returns `otherwise` if the arbiter fails. */
  private asked<T>(
    member: ArbiterMember,
    ask: () => unknown,
    read: (answer: unknown) => T | undefined,
    otherwise: T,
  ): T | Promise<T> {
    const readOrFail = (answer: unknown): T => {
      const result = read(answer);
      if (result !== undefined) return result;
      return this.failed(member, new Error(`it answered ${describeValue(answer)}`), otherwise);
    };
    try {
      const answer = ask();
      if (!isThenable(answer)) return readOrFail(answer);
      return this.inTime(answer).then(readOrFail, (thrown: unknown) => this.failed(member, thrown, otherwise));
    } catch (thrown) {
      return this.failed(member, thrown, otherwise);
    }
  }

  private inTime(answer: PromiseLike<unknown>): Promise<unknown> {
    const { clock, limits } = this.ground;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(limits.arbiterMs, () =>
        reject(new HubError('timeout', `no answer within ${limits.arbiterMs} ms`)),
      );
      Promise.resolve(answer).then(resolve, reject).finally(cancel);
    });
  }

  private failed<T>(member: ArbiterMember, thrown: unknown, otherwise: T): T {
    const error = asError(thrown);
    this.ground.log.error(`the arbiter failed in ${member}`, { error: error.message });
    this.ground.events.emit('arbiterFailed', { member, error });
    return otherwise;
  }
}

function bound(given: Partial<Arbiter>, member: ArbiterMember): unknown {
  return (given[member] as (ask: unknown) => unknown).bind(given);
}

function checkArbiter(given: unknown): void {
  const members = Object.keys(ruleArbiter);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const expected = `arbiter: expected an object with ${members.join(', ')}`;
    throw new HubError('bad_options', `${expected}, got ${describeValue(given)}`);
  }
  for (const member of members) {
    const value: unknown = member in given ? given[member as never] : () => {};
    if (typeof value === 'function') continue;
    throw new HubError('bad_options', `arbiter.${member}: expected a function, got ${describeValue(value)}`);
  }
  const unknown = Object.keys(given).find((key) => /^(authorize|resolve)/.test(key) && !members.includes(key));
  if (unknown === undefined) return;
  throw new HubError('bad_options', `arbiter.${unknown}: unknown member; valid members: ${members.join(', ')}`);
}

function isVerdict(answer: unknown): answer is ArbiterVerdict {
  return typeof answer === 'boolean' || typeof answer === 'string';
}

function reasonOf(verdict: ArbiterVerdict): Denial {
  if (typeof verdict === 'string') return verdict || 'no reason given';
  return verdict ? null : 'the arbiter says no';
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
