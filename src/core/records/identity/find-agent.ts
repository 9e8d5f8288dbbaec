/** Searches agents: an agent must meet every given condition. */

import type { AgentKind, Passport } from './passport.ts';
import type { Resume } from './resume.ts';
import { hasCapability } from './resume-schema.ts';

export interface AgentQuery {
  /** A claimed or observed capability; matches only as a whole, ignoring case. */
  readonly capability?: string | undefined;
  /** A part of any text of the agent, ignoring case. */
  readonly text?: string | undefined;
  readonly kind?: AgentKind | undefined;
  readonly domain?: string | undefined;
  /** true = only connected agents, false = only disconnected ones. */
  readonly bound?: boolean | undefined;
}

/** The data of an agent that a search reads. */
export interface KnownAgent {
  readonly passport: Passport;
  readonly resume: Resume;
  /** From the front matter of the agent's skill; empty if there is none. */
  readonly description: string;
}

/** One search result. */
export interface FoundAgent extends Passport {
  readonly resume: Pick<Resume, 'claimed_capabilities' | 'domains' | 'summary' | 'version'>;
  readonly bound: boolean;
}

export function fitsQuery(agent: KnownAgent, bound: boolean, query: AgentQuery): boolean {
  const { capability, text, kind, domain } = query;
  if (query.bound !== undefined && query.bound !== bound) return false;
  if (kind !== undefined && agent.passport.kind !== kind) return false;
  if (capability !== undefined && !hasCapability(agent.resume, capability)) return false;
  if (domain !== undefined && !agent.resume.domains.some((known) => isSameWord(known, domain))) return false;
  return text === undefined || mentions(agent, text);
}

export function toFoundAgent({ passport, resume }: KnownAgent, bound: boolean): FoundAgent {
  const { claimed_capabilities, domains, summary, version } = resume;
  return { ...passport, resume: { claimed_capabilities, domains, summary, version }, bound };
}

/** The text must occur within one field. */
function mentions({ passport, resume, description }: KnownAgent, text: string): boolean {
  const wanted = text.toLowerCase();
  const { name, owner, provider, model } = passport;
  const { summary, claimed_capabilities, domains, examples } = resume;
  const texts = [name, owner, provider, model, summary, description, ...claimed_capabilities, ...domains, ...examples];
  return texts.some((one) => one?.toLowerCase().includes(wanted));
}

function isSameWord(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
