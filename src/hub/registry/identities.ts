/** What the log of the registry folds to. Both states share it: what is not durable yet is told apart by its seq. */

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

/** A skill as far as it is kept in memory; its text, which may be long, is in the log at `seq`. */
export interface SkillNote {
  readonly seq: number;
  readonly version: number;
  readonly description: string;
}

/** What was seen of an agent, and how it is shown. */
export interface ObservedOutcomes {
  readonly observations: Observations;
  readonly shown: Readonly<Record<string, TrackRecord>>;
}

/** One name, for good: once taken it is never given to another. */
export interface Identity {
  readonly passport: Passport;
  /** What it was registered with; null = from inside the process. */
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
  /** Sorted when it is asked for; null = somebody came or went since. */
  private names: readonly string[] | null = null;
  /** Somebody has, or had, a rule of its own. Until then nobody's is looked for, which every post would do several times. */
  hasRules = false;

  /** Staged or durable, retired or not. */
  named(name: string): Identity | undefined {
    return this.byName.get(name);
  }

  /** Staged or durable, retired or not. */
  withId(agentId: string): Identity | undefined {
    return this.byId.get(agentId);
  }

  /** Those whose retirement is staged or durable. */
  *retiredIds(): Generator<string, void, undefined> {
    for (const [agentId, { retiredSeq }] of this.byId) if (retiredSeq !== null) yield agentId;
  }

  /** As everyone may know them who knows of nothing after `seq`: by name, the first after `after`. */
  *after(after: string, seq: number): Generator<KnownAgent, void, undefined> {
    this.names ??= [...this.byName.keys()].sort();
    const { names } = this;
    for (let i = firstAfter(names, after); i < names.length; i++) {
      const identity = this.byName.get(names[i] ?? '');
      if (identity !== undefined && isKnownAt(identity, seq)) yield knownAgent(identity, seq);
    }
  }

  /** `durableSeq`: older versions of what is set are only kept for who knows of nothing newer. */
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
        // Written by the registry from a resume; what was observed is written apart from it.
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

  /** Another writer was first: what was only staged here is forgotten. */
  forgetAfter(seq: number): void {
    this.names = null;
    for (const [name, identity] of this.byName) {
      if (identity.retiredSeq !== null && identity.retiredSeq > seq) identity.retiredSeq = null;
      identity.resumes.forgetAfter(seq);
      identity.skills.forgetAfter(seq);
      identity.rules.forgetAfter(seq);
      identity.grants.forgetAfter(seq);
      identity.seen.forgetAfter(seq);
      if (identity.sinceSeq <= seq) continue;
      this.byName.delete(name);
      this.byId.delete(identity.passport.agent_id);
    }
  }

  private add(data: JsonObject, sinceSeq: number): void {
    // Written by the registry from a passport, with the credential beside it.
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

/** Registered by then, and not retired. */
export function isKnownAt({ sinceSeq, retiredSeq }: Identity, seq: number): boolean {
  return sinceSeq <= seq && (retiredSeq === null || retiredSeq > seq);
}

export function knownAgent({ passport, resumes, skills, seen }: Identity, seq: number): KnownAgent {
  const resume = withTrackRecord(resumes.at(seq) ?? emptyResume(passport.agent_id), seen.at(seq));
  return { passport, resume, description: skills.at(seq)?.description ?? '' };
}

/** What it says of itself, and what was seen of it. */
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

/** The place of the first name after this one. */
function firstAfter(names: readonly string[], after: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] ?? '') <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Version<T> {
  readonly seq: number;
  readonly value: T;
}

export class StagedValue<T> {
  /** In the order of their seqs. */
  private kept: readonly Version<T>[] = [];

  /** As admission sees it: staged or not. */
  get newest(): T | null {
    return this.kept.at(-1)?.value ?? null;
  }

  /** As everyone else sees it, who knows of nothing after `seq`. */
  at(seq: number): T | null {
    // A loop: rules are asked for several times for every post, and nearly nobody has one.
    for (let i = this.kept.length - 1; i >= 0; i--) {
      const version = this.kept[i];
      if (version !== undefined && version.seq <= seq) return version.value;
    }
    return null;
  }

  /** Those that a durable one has replaced are forgotten. */
  set(seq: number, value: T, durableSeq: number): void {
    const all = [...this.kept, { seq, value }];
    const durable = all.findLastIndex((version) => version.seq <= durableSeq);
    this.kept = all.slice(Math.max(0, durable));
  }

  /** What was staged there is not going to be. */
  forgetAfter(seq: number): void {
    this.kept = this.kept.filter((version) => version.seq <= seq);
  }
}
