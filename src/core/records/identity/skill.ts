/** Instructions for working with an agent: its SKILL.md, or a text rendered from its passport and profile. */

import type { JsonObject } from '../../lib/json.ts';
import type { Passport } from './passport.ts';
import type { Resume } from './resume.ts';

export interface Skill {
  readonly agent_id: string;
  readonly name: string;
  readonly text: string;
  readonly front_matter: JsonObject;
  /** The text without its front matter. */
  readonly body: string;
  /** true if the agent set no skill, and the hub rendered this one. */
  readonly rendered: boolean;
  /** 0 if the skill was never set; clearing it makes a new version. */
  readonly version: number;
  readonly last_updated: string | null;
}

export interface SkillParts {
  /** The lines between the fences; null if there is no front matter. */
  readonly frontMatter: string | null;
  readonly body: string;
}

const FENCE = /^---[ \t]*\r?$/;

/** Splits off the front matter between a first line `---` and the next `---`; null if the second one is missing. */
export function splitSkill(text: string): SkillParts | null {
  const [first = '', ...rest] = text.split('\n');
  if (!FENCE.test(first.replace(/^\uFEFF/, ''))) return { frontMatter: null, body: text };
  const end = rest.findIndex((line) => FENCE.test(line));
  if (end === -1) return null;
  const frontMatter = rest.slice(0, end).join('\n').replace(/\r$/, '');
  return { frontMatter, body: rest.slice(end + 1).join('\n') };
}

/** The skill shown for an agent that set none. */
export function renderSkill(passport: Passport, resume: Resume): Skill {
  const front_matter = { name: passport.name, description: describeAgent(passport, resume) };
  // JSON is YAML, so an agent's text cannot end the quotes or the front matter.
  const head = Object.entries(front_matter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const body = `\n${sections(passport, resume).join('\n\n')}\n`;
  return {
    agent_id: passport.agent_id,
    name: passport.name,
    text: `---\n${head.join('\n')}\n---\n${body}`,
    front_matter,
    body,
    rendered: true,
    version: 0,
    last_updated: null,
  };
}

/** Well below the size limit of front matter, whichever characters it contains. */
const MAX_DESCRIPTION = 512;

/** Never splits a surrogate pair. */
function shortened(text: string): string {
  const last = text.charCodeAt(MAX_DESCRIPTION - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_DESCRIPTION - 1 : MAX_DESCRIPTION);
}

function describeAgent({ name, kind }: Passport, { summary, claimed_capabilities }: Resume): string {
  if (summary !== '') return summary.length <= MAX_DESCRIPTION ? summary : `${shortened(summary)}…`;
  if (claimed_capabilities.length > 0) return `${name} offers ${shortened(claimed_capabilities.join(', '))}.`;
  return `${name} is ${KINDS[kind]}.`;
}

const KINDS: Readonly<Record<Passport['kind'], string>> = {
  agent: 'an agent',
  human: 'a person',
  remote_agent: 'a remote agent',
};

function sections(passport: Passport, resume: Resume): readonly string[] {
  const { name, kind, owner, provider, model, cost, region } = passport;
  const facts = Object.entries({
    Kind: KINDS[kind],
    Owner: owner,
    Provider: provider,
    Model: model,
    Cost: cost,
    Region: region,
  });
  const known = facts.flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]));
  return [
    `# ${name}`,
    ...(resume.summary === '' ? [] : [resume.summary]),
    list(known),
    ...section('Capabilities', resume.claimed_capabilities),
    ...section('Domains', resume.domains),
    ...section('Examples', resume.examples),
  ];
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`## ${title}`, list(items)];
}

/** One line per item: line breaks become spaces. */
function list(items: readonly string[]): string {
  return items.map((item) => `- ${item.replace(/\s+/g, ' ')}`).join('\n');
}
