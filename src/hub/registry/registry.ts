/**
 * Registry: the identities of this hub with their profiles, rules and grants, in one log folded by identities.ts. A name is
 * never reused. Tokens (tokens.ts) and hellos (handshake.ts) are separate. Reads see entries up to `durableSeq`; only
 * judges see staged ones.
 */

import { refuse } from '../../core/decisions/decision.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { schemaOf } from '../../core/lib/schema.ts';
import { REGISTRY_LOG } from '../../core/ports/store.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Rule, RuleChange, RuleRecord } from '../../core/records/access/rule.ts';
import { defaultRule } from '../../core/records/access/rule-schema.ts';
import { agentRef } from '../../core/records/fields.ts';
import type { KnownAgent } from '../../core/records/identity/find-agent.ts';
import { type Passport, type PassportClaim, passportFrom } from '../../core/records/identity/passport.ts';
import {
  NO_OBSERVATIONS,
  type Resume,
  type ResumeClaim,
  type TaskOutcome,
  uncountedOutcomes,
} from '../../core/records/identity/resume.ts';
import { emptyResume, nextResume } from '../../core/records/identity/resume-schema.ts';
import { renderSkill, type Skill } from '../../core/records/identity/skill.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import type { Ground } from '../log/ground.ts';
import { HubLog, type HubLogState } from '../log/hub-log.ts';
import { readEntry } from '../log/read-pages.ts';
import type { Judgement } from '../log/staged-log.ts';
import { Identities, type Identity, isKnownAt, knownAgent, withTrackRecord } from './identities.ts';
import {
  announceEntry,
  changedGrants,
  changedRule,
  checkGrants,
  nameTakenError,
  noAgentError,
  skillFrom,
  versionConflictError,
} from './registry-entries.ts';

/** Called at judging: why the caller may no longer act for the identity; null if it may. */
export type Guard = () => WireError | null;

const unguarded: Guard = () => null;

export class Registry {
  private readonly needs: Ground;
  private readonly identities = new Identities();
  private readonly leaving = new Set<string>();
  readonly defaultRule: Rule;
  private startSeq = 0;
  private readonly book: HubLog<HubLogState>;

  constructor(needs: Ground) {
    this.needs = needs;
    this.defaultRule = defaultRule(needs.limits);
    this.book = new HubLog<HubLogState>(needs, {
      logId: REGISTRY_LOG,
      what: 'the identities',
      empty: { seq: 0, envelope_id: null },
      fold: (page) => page,
      onTaken: (entry, durableSeq) => this.identities.fold(entry, durableSeq),
      onDropped: (durableSeq) => this.identities.forgetAfter(durableSeq),
      onDurable: (entry) => this.announce(entry),
    });
  }

  async start(): Promise<void> {
    await this.book.start();
    this.startSeq = this.durableSeq;
  }

  /** The identity of that name, if it is durable and not retired. */
  named(name: string): Passport | null {
    return this.visible(this.identities.named(name))?.passport ?? null;
  }

  byAgentId(agentId: string): Passport | null {
    return this.visible(this.identities.withId(agentId))?.passport ?? null;
  }

  /** Finds an identity by id or name, with its profile. No name looks like an id. */
  find(nameOrId: string): KnownAgent | null {
    const identity = this.visible(this.identities.withId(nameOrId)) ?? this.visible(this.identities.named(nameOrId));
    return identity === null ? null : knownAgent(identity, this.durableSeq);
  }

  /** Like `find`, for identities that may be named in a new session. */
  invitable(nameOrId: string): Passport | null {
    const passport = this.find(nameOrId)?.passport ?? null;
    return passport === null || this.leaving.has(passport.agent_id) ? null : passport;
  }

  isLeaving(agentId: string): boolean {
    return this.leaving.has(agentId);
  }

  after(name: string): Iterable<KnownAgent> {
    return this.identities.after(name, this.durableSeq);
  }

  async skillOf({ passport, resume }: KnownAgent): Promise<Skill> {
    const note = this.identities.withId(passport.agent_id)?.skills.at(this.durableSeq) ?? null;
    if (note === null) return renderSkill(passport, resume);
    return skillFrom(await readEntry(this.needs.store, REGISTRY_LOG, note.seq), passport, resume);
  }

  credentialOf(agentId: string): string | null {
    return this.identities.withId(agentId)?.credentialId ?? null;
  }

  register(claim: PassportClaim, credentialId: string | null = null): Promise<Passport> {
    const agentId = this.needs.ids.hex32();
    return this.book.admit((state) => {
      const taken = this.identities.named(claim.name);
      if (taken !== undefined) return refuse(nameTakenError(claim.name, taken.retiredSeq !== null));
      const stamp = this.book.stampAfter(state);
      const passport = passportFrom(claim, agentId, stamp.created_at);
      // A passport is JSON. The credential id is only in the log, never in a record that is shown.
      const entry = { ...passport, ...(credentialId === null ? {} : { credential_id: credentialId }) };
      return this.book.write(state, 'agent.registered', entry as unknown as JsonObject, () => passport, stamp);
    });
  }

  /** Rejects if `expected` is not the current version. */
  setResume(agentId: string, claim: ResumeClaim, expected: number | undefined, guard: Guard): Promise<Resume> {
    return this.change(agentId, guard, (identity, state) => {
      const before = identity.resumes.newest ?? emptyResume(agentId);
      if (expected !== undefined && expected !== before.version)
        return refuse(versionConflictError('resume', before.version, expected));
      const stamp = this.book.stampAfter(state);
      const resume = nextResume(before, claim, stamp.created_at);
      const answer = withTrackRecord(resume, identity.seen.newest);
      if (resume === before) return { kind: 'nothing', answer };
      const { observed: _, ...said } = resume;
      // A profile is JSON.
      return this.book.write(state, 'agent.resume', said as unknown as JsonObject, () => answer, stamp);
    });
  }

  /** Adds task outcomes to the agent's profile; skips outcomes already counted. */
  observe(agentId: string, outcomes: readonly TaskOutcome[]): Promise<void> {
    return this.change<void>(agentId, unguarded, (identity, state) => {
      const fresh = uncountedOutcomes(identity.seen.newest?.observations ?? NO_OBSERVATIONS, outcomes);
      if (fresh.length === 0) return { kind: 'nothing', answer: undefined };
      // Outcomes are JSON.
      const data = { agent_id: agentId, outcomes: fresh } as unknown as JsonObject;
      return this.book.write(state, 'agent.observed', data, () => undefined);
    });
  }

  /** Sets the agent's skill; `text` null removes it. */
  setSkill(agentId: string, text: string | null, front_matter: JsonObject, guard: Guard): Promise<Skill> {
    return this.change(agentId, guard, (identity, state) => {
      const version = (identity.skills.newest?.version ?? 0) + 1;
      const data = { agent_id: agentId, version, text, front_matter };
      return this.book.write(state, 'agent.skill', data, (entry) =>
        skillFrom(entry, identity.passport, identity.resumes.newest ?? emptyResume(agentId)),
      );
    });
  }

  /** True once any identity had its own rule. */
  get hasRules(): boolean {
    return this.identities.hasRules;
  }

  /** The current rule, or the default. Called several times for every post. */
  ruleOf(agentId: string): Rule {
    if (!this.identities.hasRules) return this.defaultRule;
    return this.identities.withId(agentId)?.rules.at(this.durableSeq)?.rule ?? this.defaultRule;
  }

  isOlder(agentId: string): boolean {
    return (this.identities.withId(agentId)?.sinceSeq ?? Number.POSITIVE_INFINITY) <= this.startSeq;
  }

  nameOf(agentId: string): string | null {
    return this.identities.withId(agentId)?.passport.name ?? null;
  }

  ruleRecord(agentId: string): RuleRecord {
    return this.identities.withId(agentId)?.rules.at(this.durableSeq) ?? this.unsetRule(agentId);
  }

  /** `mayLoosen` tells, at judging, whether the change may allow more than before. */
  setRule(
    agentId: string,
    change: RuleChange,
    expected: number | undefined,
    { guard, mayLoosen }: { guard: Guard; mayLoosen: () => boolean },
  ): Promise<RuleRecord> {
    return this.change(agentId, guard, (identity, state) => {
      const before = identity.rules.newest ?? this.unsetRule(agentId);
      const rule = changedRule(before, change, expected, mayLoosen);
      if (rule instanceof WireError) return refuse(rule);
      const stamp = this.book.stampAfter(state);
      const record = { agent_id: agentId, rule, version: before.version + 1, last_updated: stamp.created_at };
      // A rule is JSON.
      return this.book.write(state, 'agent.rule', record as unknown as JsonObject, () => record, stamp);
    });
  }

  /** The identity holds the grant durably, or its credential carries it. */
  hasGrant(agentId: string, grant: Grant, credential: Credential | null): boolean {
    const own = this.identities.withId(agentId)?.grants.at(this.durableSeq) ?? [];
    return own.includes(grant) || (credential?.grants.includes(grant) ?? false);
  }

  /** Finds the agent by name or id. Returns all its grants afterwards, sorted; writes nothing if none changes. */
  changeGrants(agent: string, grants: readonly Grant[], how: 'grant' | 'revoke'): Promise<readonly Grant[]> {
    schemaOf(agentRef).parse(agent, 'agent');
    checkGrants(grants);
    const agent_id = this.find(agent)?.passport.agent_id;
    if (agent_id === undefined) {
      const details = { field: 'agent', received: agent };
      throw new WireError('not_found', `agent: no agent with name or id "${agent}" is registered`, details);
    }
    this.needs.backlog.check();
    return this.change<readonly Grant[]>(agent_id, unguarded, (identity, state) => {
      const before = identity.grants.newest ?? [];
      const after = changedGrants(before, grants, how);
      if (after.join() === before.join()) return { kind: 'nothing', answer: before };
      return this.book.write(state, 'agent.grants', { agent_id, grants: after }, () => after);
    });
  }

  private unsetRule(agent_id: string): RuleRecord {
    return { agent_id, rule: this.defaultRule, version: 0, last_updated: null };
  }

  /** From now on no new session may name the identity; `retire` makes that final. */
  beginLeaving(agentId: string): void {
    this.leaving.add(agentId);
  }

  cancelLeaving(agentId: string): void {
    this.leaving.delete(agentId);
  }

  isGone(agentId: string): boolean {
    return this.leaving.has(agentId) || (this.identities.withId(agentId)?.retiredSeq ?? null) !== null;
  }

  retiredIds(): Iterable<string> {
    return this.identities.retiredIds();
  }

  retire(agentId: string): Promise<Passport> {
    return this.book.admit((state) => {
      const identity = this.identities.withId(agentId);
      if (identity === undefined) return refuse(noAgentError(agentId));
      if (identity.retiredSeq !== null) return { kind: 'nothing', answer: identity.passport };
      return this.book.write(state, 'agent.unregistered', { agent_id: agentId }, () => identity.passport);
    });
  }

  private get durableSeq(): number {
    return this.book.durable.seq;
  }

  private visible(identity: Identity | undefined): Identity | null {
    return identity !== undefined && isKnownAt(identity, this.durableSeq) ? identity : null;
  }

  /** Admits a change of an identity, unless it is retired. */
  private change<T>(
    agentId: string,
    guard: Guard,
    judge: (identity: Identity, state: HubLogState) => Judgement<HubLogState, T>,
  ): Promise<T> {
    return this.book.admit((state) => {
      const refusal = guard();
      if (refusal !== null) return refuse(refusal);
      const identity = this.identities.withId(agentId);
      if (identity === undefined || identity.retiredSeq !== null) return refuse(noAgentError(agentId));
      return judge(identity, state);
    });
  }

  private announce(entry: Entry): void {
    const passport = this.identities.withId(String(entry.envelope.event_data.agent_id))?.passport;
    if (passport !== undefined) announceEntry(this.needs.events, entry, passport);
  }
}
