/** Folds the registry's log. Judges and readers of durable state share the result: each value is kept with its seq. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { RuleRecord } from '../../core/records/access/rule.ts';
import type { KnownAgent } from '../../core/records/identity/find-agent.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import {
  foldOutcomes,
  NO_OBSERVATIONS,
  type Observations,
  type Resume,
  type TaskOutcome,
  type TrackRecord,
  toTrackRecords,
} from '../../core/records/identity/resume.ts';
import { emptyResume } from '../../core/records/identity/resume-schema.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { firstIndex } from '../lib/first-index.ts';

/** A skill without its text, which may be long and stays in the log at `seq`. */
interface SkillNote {
  readonly seq: number;
  readonly version: number;
  readonly description: string;
}

interface ObservedOutcomes {
  readonly observations: Observations;
  readonly shown: Readonly<Record<string, TrackRecord>>;
}

/** A registered name; once taken, it is never reused. */
export interface Identity {
  readonly passport: Passport;
  /** The credential it was registered with; null if registered from inside the process. */
  readonly credentialId: string | null;
  readonly sinceSeq: number;
  retiredSeq: number | null;
  readonly resumes: StagedValue<Resume>;
  readonly skills: StagedValue<SkillNote>;
  readonly rules: StagedValue<RuleRecord>;
  readonly grants: StagedValue<readonly Grant[]>;
  readonly seen: StagedValue<ObservedOutcomes>;
}

export class Identities {
  private readonly byName = new Map<string, Identity>();
  private readonly byId = new Map<string, Identity>();
  /** All names, sorted on demand; null if an identity was added or removed since. */
  private names: readonly string[] | null = null;
  /** True once any identity had its own rule; until then posts skip the rule lookups. */
  hasRules = false;

  /** Finds an identity by name: staged or durable, retired or not. */
  named(name: string): Identity | undefined {
    return this.byName.get(name);
  }

  /** Finds an identity by id: staged or durable, retired or not. */
  withId(agentId: string): Identity | undefined {
    return this.byId.get(agentId);
  }

  *retiredIds(): Generator<string, void, undefined> {
    for (const [agentId, { retiredSeq }] of this.byId) if (retiredSeq !== null) yield agentId;
  }

  /** The identities visible at `seq` whose name follows `after`, sorted by name. */
  *after(after: string, seq: number): Generator<KnownAgent, void, undefined> {
    this.names ??= [...this.byName.keys()].sort();
    const { names } = this;
    const first = firstIndex(names.length, (index) => (names[index] ?? '') <= after);
    for (let i = first; i < names.length; i++) {
      const identity = this.byName.get(names[i] ?? '');
      if (identity !== undefined && isKnownAt(identity, seq)) yield knownAgent(identity, seq);
    }
  }

  /** Drops older versions of a value that readers at `durableSeq` do not need. */
  fold({ envelope }: Entry, durableSeq: number): void {
    const { event_type, event_data, seq } = envelope;
    if (event_type === 'agent.registered') return this.add(event_data, seq);
    const identity = this.byId.get(String(event_data.agent_id));
    if (identity === undefined) return;
    switch (event_type) {
      case 'agent.unregistered':
        identity.retiredSeq = seq;
        return;
      case 'agent.resume':
        // Written by the registry from a profile; observations are separate entries.
        identity.resumes.set(seq, { ...(event_data as unknown as Omit<Resume, 'observed'>), observed: {} }, durableSeq);
        return;
      case 'agent.skill':
        identity.skills.set(seq, noteOf(event_data, seq), durableSeq);
        return;
      case 'agent.rule':
        this.hasRules = true;
        // Written by the registry from a record.
        identity.rules.set(seq, event_data as unknown as RuleRecord, durableSeq);
        return;
      case 'agent.grants':
        identity.grants.set(seq, event_data.grants as readonly Grant[], durableSeq);
        return;
      case 'agent.observed':
        // Written by the registry from outcomes.
        identity.seen.set(seq, addOutcomes(identity, event_data.outcomes as unknown as TaskOutcome[]), durableSeq);
    }
  }

  /** Forgets what was staged after `seq`, because another writer was first. */
  forgetAfter(seq: number): void {
    this.names = null;
    for (const [name, identity] of this.byName) {
      if (identity.retiredSeq !== null && identity.retiredSeq > seq) identity.retiredSeq = null;
      const { resumes, skills, rules, grants, seen } = identity;
      for (const staged of [resumes, skills, rules, grants, seen]) staged.forgetAfter(seq);
      if (identity.sinceSeq <= seq) continue;
      this.byName.delete(name);
      this.byId.delete(identity.passport.agent_id);
    }
  }

  private add(data: JsonObject, sinceSeq: number): void {
    // Written by the registry: a passport and a credential id.
    const { credential_id = null, ...rest } = data as unknown as Passport & { readonly credential_id?: string };
    const passport: Passport = rest;
    const identity = {
      passport,
      credentialId: credential_id,
      sinceSeq,
      retiredSeq: null,
      resumes: new StagedValue<Resume>(),
      skills: new StagedValue<SkillNote>(),
      rules: new StagedValue<RuleRecord>(),
      grants: new StagedValue<readonly Grant[]>(),
      seen: new StagedValue<ObservedOutcomes>(),
    };
    this.names = null;
    this.byName.set(passport.name, identity);
    this.byId.set(passport.agent_id, identity);
  }
}

/** True if registered and not retired at `seq`. */
export function isKnownAt({ sinceSeq, retiredSeq }: Identity, seq: number): boolean {
  return sinceSeq <= seq && (retiredSeq === null || retiredSeq > seq);
}

export function knownAgent({ passport, resumes, skills, seen }: Identity, seq: number): KnownAgent {
  const resume = withTrackRecord(resumes.at(seq) ?? emptyResume(passport.agent_id), seen.at(seq));
  return { passport, resume, description: skills.at(seq)?.description ?? '' };
}

/** The claimed profile with the observed track record. */
export function withTrackRecord(resume: Resume, seen: ObservedOutcomes | null): Resume {
  return seen === null ? resume : { ...resume, observed: seen.shown };
}

function addOutcomes({ seen }: Identity, outcomes: readonly TaskOutcome[]): ObservedOutcomes {
  const observations = foldOutcomes(seen.newest?.observations ?? NO_OBSERVATIONS, outcomes);
  return { observations, shown: toTrackRecords(observations) };
}

function noteOf({ version, front_matter }: JsonObject, seq: number): SkillNote {
  const { description } = front_matter as JsonObject;
  return { seq, version: Number(version), description: typeof description === 'string' ? description : '' };
}

interface Version<T> {
  readonly seq: number;
  readonly value: T;
}

export class StagedValue<T> {
  private kept: readonly Version<T>[] = [];

  /** The value admission sees, staged or not. */
  get newest(): T | null {
    return this.kept.at(-1)?.value ?? null;
  }

  /** The value visible at `seq`. */
  at(seq: number): T | null {
    // A plain loop for speed: every post reads rules several times, and most identities have none.
    for (let i = this.kept.length - 1; i >= 0; i--) {
      const version = this.kept[i];
      if (version !== undefined && version.seq <= seq) return version.value;
    }
    return null;
  }

  /** Adds a version; forgets those that a durable one replaced. */
  set(seq: number, value: T, durableSeq: number): void {
    const all = [...this.kept, { seq, value }];
    const durable = all.findLastIndex((version) => version.seq <= durableSeq);
    this.kept = all.slice(Math.max(0, durable));
  }

  /** Drops staged versions after `seq`. */
  forgetAfter(seq: number): void {
    this.kept = this.kept.filter((version) => version.seq <= seq);
  }
}
