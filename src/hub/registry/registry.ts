/** The identities of the hub: a log of the same kind as a session's, with the same two states. */

import { refuse } from '../../core/decisions/advance.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import type { Entry, Unit } from '../../core/records/session/envelope.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { KnownAgent } from '../../core/records/identity/find-agent.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { NOTHING_SEEN, type TaskOutcome, unseen } from '../../core/records/identity/resume.ts';
import { type Passport, type PassportClaim, passportFrom } from '../../core/records/identity/passport.ts';
import { emptyResume, nextResume, type Resume, type ResumeClaim } from '../../core/records/identity/resume-schema.ts';
import { changedRule, openRule, type Rule, type RuleChange, type RuleRecord } from '../../core/records/access/rule.ts';
import { renderSkill, type Skill } from '../../core/records/identity/skill.ts';
import type { HeadToken } from '../../core/ports/store.ts';
import { REGISTRY_LOG } from '../../core/ports/store.ts';
import { looserField } from '../../core/tighter.ts';
import { Identities, type Identity, isKnownAt, knownAgent, withObserved } from './identities.ts';
import { type Judge, type Judgement, Ledger } from '../log/staged-log.ts';
import type { HubParts } from '../parts.ts';
import { logPages } from '../log/read-pages.ts';
import {
  append,
  NOTHING,
  nameTaken,
  noAgent,
  otherVersion,
  type Position,
  ruleLoosened,
  skillIn,
} from '../registry-entries.ts';

/** Asked when it is judged: may the one who asked still speak for the identity? */
export type Guard = () => WireError | null;

export class Registry {
  private readonly parts: HubParts;
  private readonly identities = new Identities();
  /** Identities that are leaving: no new session may name them. */
  private readonly leaving = new Set<string>();
  /** Of all who have none of their own. */
  readonly openRule: Rule;
  private startSeq = 0;
  private ledger: Ledger<Position>;
  /** Identities from this seq on are not known, and no more can be written; null = all is well. */
  private damagedFrom: number | null = null;

  constructor(parts: HubParts) {
    this.parts = parts;
    this.openRule = openRule(parts.limits);
    this.ledger = this.makeLedger(NOTHING, null, null);
  }

  async start(): Promise<void> {
    const { store, log } = this.parts;
    let position = await store.position(REGISTRY_LOG);
    if (position === null) return;
    // Nobody knows of an older version yet.
    const readAll = (upTo: number): Promise<Position> => this.readOn(NOTHING, upTo, Number.POSITIVE_INFINITY);
    const state = await readAll(position.seq).catch(async (thrown: unknown) => {
      // Damage may be found only when it is read; then the store says so from there on.
      position = await store.position(REGISTRY_LOG);
      if (position === null || position.damaged_from === null) throw thrown;
      return readAll(position.seq);
    });
    this.startSeq = state.seq;
    this.damagedFrom = position.damaged_from;
    if (this.damagedFrom !== null) log.error('the registry is damaged', { damaged_from: this.damagedFrom });
    this.ledger = this.makeLedger(state, state, position.token);
  }

  /** The identity of that name, if it is durable and has not been retired. */
  named(name: string): Passport | null {
    return this.visible(this.identities.named(name))?.passport ?? null;
  }

  byAgentId(agentId: string): Passport | null {
    return this.visible(this.identities.withId(agentId))?.passport ?? null;
  }

  /** By id or name, with what it says of itself. No name looks like an id. */
  called(nameOrId: string): KnownAgent | null {
    const identity = this.visible(this.identities.withId(nameOrId)) ?? this.visible(this.identities.named(nameOrId));
    return identity === null ? null : knownAgent(identity, this.durableSeq);
  }

  /** The same, for those who may be named in a new session. */
  invitable(nameOrId: string): Passport | null {
    const passport = this.called(nameOrId)?.passport ?? null;
    return passport === null || this.leaving.has(passport.agent_id) ? null : passport;
  }

  isLeaving(agentId: string): boolean {
    return this.leaving.has(agentId);
  }

  /** Everyone whose name comes after this one, by name. */
  after(name: string): Iterable<KnownAgent> {
    return this.identities.after(name, this.durableSeq);
  }

  /** Its own, read from the log, or one made of what else is known of it. */
  async skillOf({ passport, resume }: KnownAgent): Promise<Skill> {
    const note = this.identities.withId(passport.agent_id)?.skills.at(this.durableSeq) ?? null;
    if (note === null) return renderSkill(passport, resume);
    const range = { from_seq: note.seq, to_seq: note.seq, limit: 1 };
    const [entry] = await this.parts.store.read(REGISTRY_LOG, range);
    if (entry === undefined) throw new WireError('internal', `the registry has no entry ${note.seq}`);
    return skillIn(entry, passport, resume);
  }

  /** The credential an identity was registered with; null = from inside the process. */
  credentialOf(agentId: string): string | null {
    return this.identities.withId(agentId)?.credentialId ?? null;
  }

  register(claim: PassportClaim, credentialId: string | null = null): Promise<Passport> {
    const agentId = this.parts.ids.hex32();
    return this.admit((state) => {
      const taken = this.identities.named(claim.name);
      if (taken !== undefined) return refuse(nameTaken(claim.name, taken.retiredSeq !== null));
      const stamp = this.parts.stamper.next(state.envelope_id);
      const passport = passportFrom(claim, agentId, stamp.created_at);
      // A passport is JSON: text and null. The credential stands beside it in the log, and in no record that is shown.
      const entry = { ...passport, ...(credentialId === null ? {} : { credential_id: credentialId }) };
      return append(state, stamp, 'agent.registered', entry as unknown as JsonObject, () => passport);
    });
  }

  /** `expected` other than the present version is refused. */
  setResume(agentId: string, claim: ResumeClaim, expected: number | undefined, guard: Guard): Promise<Resume> {
    return this.change(agentId, guard, (identity, state) => {
      const before = identity.resumes.newest ?? emptyResume(agentId);
      if (expected !== undefined && expected !== before.version)
        return refuse(otherVersion('resume', before.version, expected));
      const stamp = this.parts.stamper.next(state.envelope_id);
      const resume = nextResume(before, claim, stamp.created_at);
      const answer = withObserved(resume, identity.seen.newest);
      if (resume === before) return { kind: 'nothing', answer };
      const { observed: _, ...said } = resume;
      // What is said is JSON: texts and numbers.
      return append(state, stamp, 'agent.resume', said as unknown as JsonObject, () => answer);
    });
  }

  /** What its tasks came to. What is counted already, as far as that is known, is not counted again. */
  observe(agentId: string, outcomes: readonly TaskOutcome[]): Promise<void> {
    return this.change<void>(
      agentId,
      () => null,
      (identity, state) => {
        const fresh = unseen(identity.seen.newest?.observations ?? NOTHING_SEEN, outcomes);
        if (fresh.length === 0) return { kind: 'nothing', answer: undefined };
        const stamp = this.parts.stamper.next(state.envelope_id);
        // Outcomes are JSON: texts and numbers.
        const data = { agent_id: agentId, outcomes: fresh } as unknown as JsonObject;
        return append(state, stamp, 'agent.observed', data, () => undefined);
      },
    );
  }

  /** `text` null = it has none of its own any more. */
  setSkill(agentId: string, text: string | null, front_matter: JsonObject, guard: Guard): Promise<Skill> {
    return this.change(agentId, guard, (identity, state) => {
      const version = (identity.skills.newest?.version ?? 0) + 1;
      const stamp = this.parts.stamper.next(state.envelope_id);
      const data = { agent_id: agentId, version, text, front_matter };
      return append(state, stamp, 'agent.skill', data, (entry) =>
        skillIn(entry, identity.passport, identity.resumes.newest ?? emptyResume(agentId)),
      );
    });
  }

  /** Somebody has, or had, a rule of its own. */
  get hasRules(): boolean {
    return this.identities.hasRules;
  }

  /** The rule that holds now; `openRule` = it has none of its own. Asked several times for every post. */
  ruleOf(agentId: string): Rule {
    if (!this.identities.hasRules) return this.openRule;
    return this.identities.withId(agentId)?.rules.at(this.durableSeq)?.rule ?? this.openRule;
  }

  /** It was registered before this hub started. */
  isOlder(agentId: string): boolean {
    return (this.identities.withId(agentId)?.sinceSeq ?? Number.POSITIVE_INFINITY) <= this.startSeq;
  }

  /** Of whoever has it or had it. */
  nameOf(agentId: string): string | null {
    return this.identities.withId(agentId)?.passport.name ?? null;
  }

  ruleRecord(agentId: string): RuleRecord {
    return this.identities.withId(agentId)?.rules.at(this.durableSeq) ?? this.unsetRule(agentId);
  }

  /** `mayLoosen`: asked when it is judged, for a change that allows more than before. */
  setRule(
    agentId: string,
    change: RuleChange,
    expected: number | undefined,
    { guard, mayLoosen }: { guard: Guard; mayLoosen: () => boolean },
  ): Promise<RuleRecord> {
    return this.change(agentId, guard, (identity, state) => {
      const before = identity.rules.newest ?? this.unsetRule(agentId);
      if (expected !== undefined && expected !== before.version)
        return refuse(otherVersion('rule', before.version, expected));
      const rule = changedRule(before.rule, change);
      const looser = mayLoosen() ? null : looserField(rule, before.rule);
      if (looser !== null) return refuse(ruleLoosened(looser));
      const stamp = this.parts.stamper.next(state.envelope_id);
      const record = { agent_id: agentId, rule, version: before.version + 1, last_updated: stamp.created_at };
      // A rule is JSON: texts, numbers and null.
      return append(state, stamp, 'agent.rule', record as unknown as JsonObject, () => record);
    });
  }

  /** It has this grant, durably, or its credential brings it: that of who is bound as it, unless another is given. */
  holds(
    agentId: string,
    grant: Grant,
    credential: Credential | null = this.parts.bindings.credentialOf(agentId),
  ): boolean {
    const own = this.identities.withId(agentId)?.grants.at(this.durableSeq) ?? [];
    return own.includes(grant) || (credential?.grants.includes(grant) ?? false);
  }

  /** The grants it has after this, in order. What changes nothing is not written. */
  setGrants(agentId: string, change: (held: ReadonlySet<Grant>) => ReadonlySet<Grant>): Promise<readonly Grant[]> {
    return this.change<readonly Grant[]>(
      agentId,
      () => null,
      (identity, state) => {
        const before = identity.grants.newest ?? [];
        const grants = [...change(new Set(before))].sort();
        if (grants.join() === before.join()) return { kind: 'nothing', answer: before };
        const stamp = this.parts.stamper.next(state.envelope_id);
        return append(state, stamp, 'agent.grants', { agent_id: agentId, grants }, () => grants);
      },
    );
  }

  private unsetRule(agent_id: string): RuleRecord {
    return { agent_id, rule: this.openRule, version: 0, last_updated: null };
  }

  /** No new session may name it from now on; retire() makes it final. */
  beginLeaving(agentId: string): void {
    this.leaving.add(agentId);
  }

  /** It could not leave: it stays what it was. */
  cancelLeaving(agentId: string): void {
    this.leaving.delete(agentId);
  }

  isGone(agentId: string): boolean {
    return this.leaving.has(agentId) || (this.identities.withId(agentId)?.retiredSeq ?? null) !== null;
  }

  /** Everyone who was ever retired. */
  retiredIds(): Iterable<string> {
    return this.identities.retiredIds();
  }

  retire(agentId: string): Promise<Passport> {
    return this.admit((state) => {
      const identity = this.identities.withId(agentId);
      if (identity === undefined) return refuse(noAgent(agentId));
      if (identity.retiredSeq !== null) return { kind: 'nothing', answer: identity.passport };
      const stamp = this.parts.stamper.next(state.envelope_id);
      return append(state, stamp, 'agent.unregistered', { agent_id: agentId }, () => identity.passport);
    });
  }

  private get durableSeq(): number {
    return this.ledger.durable?.seq ?? 0;
  }

  private visible(identity: Identity | undefined): Identity | null {
    return identity !== undefined && isKnownAt(identity, this.durableSeq) ? identity : null;
  }

  /** Of an identity that is not retired, by itself. */
  private change<T>(
    agentId: string,
    guard: Guard,
    judge: (identity: Identity, state: Position) => Judgement<Position, T>,
  ): Promise<T> {
    return this.admit((state) => {
      const refusal = guard();
      if (refusal !== null) return refuse(refusal);
      const identity = this.identities.withId(agentId);
      if (identity === undefined || identity.retiredSeq !== null) return refuse(noAgent(agentId));
      return judge(identity, state);
    });
  }

  private admit<T>(judge: Judge<Position, T>): Promise<T> {
    if (this.damagedFrom === null) return this.ledger.admit(judge);
    const message = `the registry is damaged from seq ${this.damagedFrom} on; nothing is written to it until it is repaired`;
    return Promise.reject(new WireError('unavailable', message, { outcome: 'refused' }));
  }

  private makeLedger(initial: Position, durable: Position | null, token: HeadToken | null): Ledger<Position> {
    const owner = {
      logId: REGISTRY_LOG,
      store: this.parts.store,
      backlog: this.parts.backlog,
      onStaged: ({ entries }: Unit) => entries.forEach((entry) => void this.identities.fold(entry, this.durableSeq)),
      onDurable: ({ entries }: Unit) => entries.forEach((entry) => void this.announce(entry)),
      reload: (state: Position | null) => this.reload(state ?? NOTHING),
      onFailed: (error: Error) => this.parts.fail(error),
      onLost: (error: Error) => this.parts.fail(error),
    };
    return new Ledger(owner, initial, durable, token);
  }

  private announce({ envelope: { event_type, event_data } }: Entry): void {
    const passport = this.identities.withId(String(event_data.agent_id))?.passport;
    if (passport === undefined) return;
    const { events } = this.parts;
    switch (event_type) {
      case 'agent.registered':
        return events.emit('agentRegistered', { passport });
      case 'agent.unregistered':
        return events.emit('agentUnregistered', { passport });
      case 'agent.resume':
        return events.emit('agentChanged', { passport, what: 'resume', version: Number(event_data.version) });
      case 'agent.skill':
        return events.emit('agentChanged', { passport, what: 'skill', version: Number(event_data.version) });
      case 'agent.rule':
        return events.emit('agentChanged', { passport, what: 'rule', version: Number(event_data.version) });
      case 'agent.grants':
        return events.emit('agentGranted', { passport, grants: event_data.grants as readonly Grant[] });
    }
  }

  /** Another writer was first: what was only staged here is forgotten, then the log is read on. */
  private async reload(durable: Position): Promise<{ state: Position; token: HeadToken | null }> {
    this.identities.forgetAfter(durable.seq);
    const position = await this.parts.store.position(REGISTRY_LOG);
    if (position === null && durable.seq > 0) throw new WireError('internal', 'the registry is gone from the store');
    if (position === null) return { state: durable, token: null };
    return { state: await this.readOn(durable, position.seq, durable.seq), token: position.token };
  }

  private async readOn(from: Position, to_seq: number, durableSeq: number): Promise<Position> {
    let state = from;
    for await (const entries of logPages(this.parts.store, REGISTRY_LOG, from.seq + 1, to_seq)) {
      for (const entry of entries) {
        this.identities.fold(entry, durableSeq);
        state = { seq: entry.envelope.seq, envelope_id: entry.envelope.envelope_id };
      }
      if (state.envelope_id !== null) this.parts.stamper.observe(state.envelope_id);
    }
    return state;
  }
}
