/** Schemas of profiles and skills. */

import { z } from 'zod';
import { jsonEqual } from '../../lib/json.ts';
import { anyObject, record, text } from '../../lib/schema.ts';
import { agentName, count, generatedId, keyword, time } from '../fields.ts';
import type { Resume, ResumeClaim, TrackRecord } from './resume.ts';
import type { Skill } from './skill.ts';

/** Schemas of the claimed members, for records that extend them. */
export const claimMembers: { readonly [Key in keyof ResumeClaim]-?: z.ZodType<NonNullable<ResumeClaim[Key]>> } = {
  claimed_capabilities: words('capabilities'),
  domains: words('domains'),
  summary: text(2048, 0),
  examples: z.array(text(512), { error: 'a list of examples' }).max(16, 'at most 16 examples'),
};

const observed = record<TrackRecord>({
  n: count,
  completed: count,
  failed: count,
  expired: count,
  p50_latency_ms: z.number().nullable(),
});

export const resume: z.ZodType<Resume> = record<Resume>({
  agent_id: generatedId,
  ...claimMembers,
  observed: z.record(z.string(), observed),
  version: count,
  last_updated: time.nullable(),
});

export const skill: z.ZodType<Skill> = record<Skill>({
  agent_id: generatedId,
  name: agentName,
  text: z.string(),
  front_matter: anyObject(),
  body: z.string(),
  rendered: z.boolean(),
  version: count,
  last_updated: time.nullable(),
});

function words(what: string): z.ZodType<readonly string[]> {
  return z.array(keyword, { error: `a list of ${what}` }).max(64, `at most 64 ${what}`);
}

export function emptyResume(agentId: string): Resume {
  return {
    agent_id: agentId,
    claimed_capabilities: [],
    domains: [],
    summary: '',
    examples: [],
    observed: {},
    version: 0,
    last_updated: null,
  };
}

/** The next version, or the same one if nothing changed. */
export function nextResume(before: Resume, claim: ResumeClaim, at: string): Resume {
  const next = {
    claimed_capabilities: distinct(claim.claimed_capabilities ?? before.claimed_capabilities),
    domains: distinct(claim.domains ?? before.domains),
    summary: claim.summary ?? before.summary,
    examples: claim.examples ?? before.examples,
  };
  const { claimed_capabilities, domains, summary, examples } = before;
  if (jsonEqual(next, { claimed_capabilities, domains, summary, examples })) return before;
  return { ...before, ...next, version: before.version + 1, last_updated: at };
}

/** Keeps the first of several words that differ only in case. */
function distinct(words: readonly string[]): readonly string[] {
  const folded = words.map((word) => word.toLowerCase());
  return words.filter((_, i) => folded.indexOf(folded[i] ?? '') === i);
}

/** Claimed and observed capabilities, in lower case. */
export function capabilitiesOf({ claimed_capabilities, observed }: Resume): ReadonlySet<string> {
  return new Set([...claimed_capabilities, ...Object.keys(observed)].map((known) => known.toLowerCase()));
}

export function hasCapability(resume: Resume, capability: string): boolean {
  return capabilitiesOf(resume).has(capability.toLowerCase());
}
