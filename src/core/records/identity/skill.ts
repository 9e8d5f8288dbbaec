/** How to work with an agent, in its own words: a SKILL.md text, or one rendered from what else is known of it. */

import type { JsonObject } from '../../lib/json.ts';
import type { Passport } from './passport.ts';
import type { Resume } from './resume.ts';

export interface Skill {
  readonly agent_id: string;
  /** The agent's. */
  readonly name: string;
  readonly text: string;
  readonly front_matter: JsonObject;
  /** The text without its front matter. */
  readonly body: string;
  /** It has none of its own: this one is made of its passport and resume. */
  readonly rendered: boolean;
  /** 0 = it has never set one; clearing it is a version too. */
  readonly version: number;
  readonly last_updated: string | null;
}

export interface SkillParts {
  /** The lines between the fences; null = there is no front matter. */
  readonly frontMatter: string | null;
  readonly body: string;
}

const FENCE = /^---[ \t]*\r?$/;

/** Front matter is what lies between a first line `---` and the next; null = it has no end. */
export function splitSkill(text: string): SkillParts | null {
  const [first = '', ...rest] = text.split('\n');
  if (!FENCE.test(first.replace(/^\uFEFF/, ''))) return { frontMatter: null, body: text };
  const end = rest.findIndex((line) => FENCE.test(line));
  if (end === -1) return null;
  const frontMatter = rest.slice(0, end).join('\n').replace(/\r$/, '');
  return { frontMatter, body: rest.slice(end + 1).join('\n') };
}

/** What an agent that set no skill is shown as. */
export function renderSkill(passport: Passport, resume: Resume): Skill {
  const front_matter = { name: passport.name, description: describeAgent(passport, resume) };
  // JSON is YAML, so no text of an agent can end its quotes or the front matter.
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

/** Far within the bound of front matter, whatever its letters take. */
const MAX_DESCRIPTION = 512;

/** Never cuts a character in two. */
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

/** One line each, whatever an item holds. */
function list(items: readonly string[]): string {
  return items.map((item) => `- ${item.replace(/\s+/g, ' ')}`).join('\n');
}
