import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrontMatter } from '../../../src/core/lib/front-matter.ts';
import { passportFrom } from '../../../src/core/records/identity/passport.ts';
import type { ResumeClaim } from '../../../src/core/records/identity/resume.ts';
import { emptyResume, nextResume } from '../../../src/core/records/identity/resume-schema.ts';
import { renderSkill, splitSkill } from '../../../src/core/records/identity/skill.ts';

const AT = '2026-01-01T00:00:00.000Z';
const bob = passportFrom({ name: 'bob' }, 'id-bob', AT);
const resumeOf = (claim: ResumeClaim) => nextResume(emptyResume('id-bob'), claim, AT);

describe('a skill text', () => {
  it.each([
    ['no front matter', 'Ask me.', { frontMatter: null, body: 'Ask me.' }],
    ['front matter', '---\nname: bob\n---\nAsk me.\n', { frontMatter: 'name: bob', body: 'Ask me.\n' }],
    ['nothing but front matter', '---\nname: bob\n---', { frontMatter: 'name: bob', body: '' }],
    ['empty front matter', '---\n---\nAsk me.', { frontMatter: '', body: 'Ask me.' }],
    ['lines of Windows', '---\r\na: 1\r\n---\r\nAsk\r\nme.', { frontMatter: 'a: 1', body: 'Ask\r\nme.' }],
    ['a byte order mark and spaces', '\uFEFF---  \na: 1\n--- \t\nAsk.', { frontMatter: 'a: 1', body: 'Ask.' }],
    ['a rule in its body', 'Ask.\n---\nMore.', { frontMatter: null, body: 'Ask.\n---\nMore.' }],
    ['a second rule', '---\na: 1\n---\nAsk.\n---\n', { frontMatter: 'a: 1', body: 'Ask.\n---\n' }],
    ['four dashes', '----\na: 1', { frontMatter: null, body: '----\na: 1' }],
  ])('[ID4] with %s is split', (_what, text, parts) => {
    expect(splitSkill(text)).toEqual(parts);
  });

  it.each(['---', '---\n', '---\nname: bob\n----', '---\nname: bob\n ---'])(
    '[ID4] %j has unclosed front matter',
    (text) => {
      expect(splitSkill(text)).toBeNull();
    },
  );
});

describe('a rendered skill', () => {
  it('[ID4] contains the passport and the profile', () => {
    const passport = passportFrom({ name: 'bob', owner: 'ops', model: 'm-1', kind: 'remote_agent' }, 'id-bob', AT);
    const resume = resumeOf({
      claimed_capabilities: ['review', 'test'],
      domains: ['rust'],
      summary: 'I read code.',
      examples: ['Review this\npatch.'],
    });
    expect(renderSkill(passport, resume)).toEqual({
      agent_id: 'id-bob',
      name: 'bob',
      text: expect.stringMatching(/^---\nname: "bob"\ndescription: "I read code\."\n---\n\n# bob\n/),
      front_matter: { name: 'bob', description: 'I read code.' },
      body: `
# bob

I read code.

- Kind: a remote agent
- Owner: ops
- Model: m-1

## Capabilities

- review
- test

## Domains

- rust

## Examples

- Review this patch.
`,
      rendered: true,
      version: 0,
      last_updated: null,
    });
  });

  it('[ID4] of an empty profile describes the kind', () => {
    expect(renderSkill(bob, emptyResume('id-bob'))).toMatchObject({
      front_matter: { name: 'bob', description: 'bob is an agent.' },
      body: '\n# bob\n\n- Kind: an agent\n',
    });
    const offering = renderSkill(bob, resumeOf({ claimed_capabilities: ['review', 'test'] }));
    expect(offering.front_matter.description).toBe('bob offers review, test.');
  });

  it('[ID4, ID5] parses back for any text of an agent', () => {
    const tricky = fc.array(
      fc.constantFrom('---', '\n', '\r', '"', "'", ': ', '#', '\\', '\u2028', '\u0085', '\u007f', '{', '&a', 'x'),
    );
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      tricky.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, fc.array(text), (summary, words) => {
        const skill = renderSkill(bob, resumeOf({ summary, claimed_capabilities: words, examples: words }));
        const parts = splitSkill(skill.text);
        expect(parts?.body).toBe(skill.body);
        expect(parseFrontMatter(parts?.frontMatter ?? '', 'text')).toEqual(skill.front_matter);
      }),
      { numRuns: 1000 },
    );
  });
});
