// Metadata in an agent's own answer, including hostile answers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metaBlocks } from '../../../src/participants/roles/extract/blocks.ts';
import { fromAnswer } from '../../../src/participants/roles/extract/extraction.ts';
import { readJsonText } from '../../../src/participants/roles/extract/json-text.ts';
import { byHand } from './fixtures.ts';

const fence = (info: string, text: string, sign = '```') => `${sign}${info}\n${text}\n${sign}`;
const yes = '{"ok":true}';
const no = '{"ok":false}';
const judge = (answer: string) => fromAnswer(byHand, answer);

describe('the metadata of an answer', () => {
  it.each([
    ['a marked block', `So.\n${fence('json meta', yes)}`],
    ['a block marked without a language', fence('meta', yes)],
    ['in capitals', fence('JSON META', yes)],
    ['with the mark in braces', fence('json {meta}', yes)],
    ['front matter', '---\nok: true\n---\nSo.'],
    ['front matter that ends in dots', '---\nok: true\n...\nSo.'],
    ['the whole answer', ` \n{"ok":\n true}\n`],
    ['a block of JSON', `So.\n${fence('json', yes)}\nThat is all.`],
    ['a block without a language', `So.\n${fence('', yes)}`],
    ['tildes', fence('json', yes, '~~~')],
    ['a longer fence', fence('json', yes, '`````')],
    ['an indented fence', `  \`\`\`json\n  ${yes}\n  \`\`\``],
    ['carriage returns', `---\r\nok: true\r\n---\r\nSo.\r\n`],
    ['carriage returns in a block', `So.\r\n${fence('json', '{\r\n"ok":true\r\n}').replaceAll('\n', '\r\n')}`],
    ['old carriage returns', `So.\r${fence('json', yes).replaceAll('\n', '\r')}`],
    ['a byte order mark', `\ufeff---\nok: true\n---\n`],
    ['a byte order mark before JSON', `\ufeff${yes}`],
    ['a byte order mark within a block', fence('json', `\ufeff${yes}`)],
    ['an unclosed block', `So.\n\`\`\`json\n${yes}`],
    ['two equal blocks', `${fence('json', yes)}\n${fence('json', '{ "ok" : true }')}`],
    ['the one valid block among several', `${fence('json', '{"name":"x"}')}\n${fence('json', yes)}`],
    ['a block next to another language', `${fence('ts', no)}\n${fence('json', yes)}`],
    ['a marked block among others', `${fence('json', no)}\n${fence('json meta', yes)}\n${fence('json', no)}`],
    ['a marked block below front matter', `---\nok: false\n---\n${fence('json meta', yes)}`],
    ['front matter above a block', `---\nok: true\n---\n${fence('json', no)}`],
    ['a block after a longer fence', `${fence('md', fence('json meta', no), '````')}\n${fence('json', yes)}`],
    ['a block after tildes', `${fence('', fence('json meta', no), '~~~')}\n${fence('json', yes)}`],
    ['a block after a quote', `> ${fence('json meta', no).replaceAll('\n', '\n> ')}\n${fence('json', yes)}`],
    ['a block after indented code', `    \`\`\`json meta\n    ${no}\n    \`\`\`\n\n${fence('json', yes)}`],
    ['a block after horizontal rules', `---\nHello.\n---\n${fence('json', yes)}`],
    ['a block after text with colons that is not YAML', `---\nNote: this: that\n---\n${fence('json', yes)}`],
    ['a block after a marked block that cannot be read', `${fence('json meta', '{ok: ?}')}\n${fence('json', yes)}`],
    ['a block with further members', fence('json', '{"ok":true,"more":[1,{"a":null}]}')],
  ])('[RL4] finds it in %s', async (_what, answer) => {
    expect(await judge(answer)).toMatchObject({ kind: 'found', meta: { ok: true } });
  });

  it.each([
    ['an empty answer', ''],
    ['prose', 'It is good. {"ok":true} I think.'],
    ['a fence with text after backticks', '``` json ` {"ok":true}\n```'],
    ['a rule', '---'],
    ['an empty front matter', '---\n---\nSo.'],
    ['front matter without end', '---\nok: true\n'],
    ['front matter that is not first', 'So.\n---\nok: true\n---\n'],
    ['another language', fence('yaml', 'ok: true')],
    ['a language with the same prefix', fence('json5', yes)],
  ])('[RL4] does not find it in %s', async (_what, answer) => {
    expect(await judge(answer)).toMatchObject({ kind: 'absent' });
  });

  it.each([
    [
      'two different blocks',
      `${fence('json', yes)}\n${fence('json', no)}`,
      'differ: the block of line 1, the block of line 4',
    ],
    ['two marked blocks', `${fence('json meta', yes)}\n${fence('json meta', no)}`, 'several blocks'],
    ['truncated JSON', 'So.\n```json meta\n{"ok":tr', 'the block of line 2: not JSON'],
    ['a list', fence('json', '[true]'), 'expected a JSON object'],
    ['a value of another type', fence('json meta', '{"ok":"yes"}'), 'expected true or false, got "yes"'],
    [
      'a more trusted invalid block',
      `${fence('json meta', '{"ok":1}')}\n${fence('json', yes)}`,
      'expected true or false, got 1',
    ],
    ['front matter that is not YAML', '---\nok: [true\n---\n', 'front matter, line'],
    ['front matter with a duplicate key', '---\nok: true\nok: false\n---\n', 'Map keys must be unique'],
    ['front matter with an alias', '---\na: &a 1\nok: *a\n---\n', 'anchors, aliases and tags'],
    ['a large front matter', `---\nok: true\nx: ${'y'.repeat(20_000)}\n---\n`, 'at most 8192 bytes'],
  ])('[RL4, RL9] reports %s without guessing', async (_what, answer, message) => {
    expect(await judge(answer)).toMatchObject({
      kind: 'invalid',
      issues: [{ message: expect.stringContaining(message) }],
    });
  });
});

describe('JSON written by an agent', () => {
  it.each([
    ['a duplicate key', '{"a":1,"b":{"a":2},"a":3}', 'duplicate key "a"'],
    ['a duplicate key spelled in two ways', '{"a":1,"\\u0061":2}', 'duplicate key "\\u0061"'],
    ['a duplicate key in a list', '[{"a":1},{"a":1,"a":1}]', 'duplicate key'],
    ['a prototype', '{"__proto__":{"ok":true}}', '__proto__'],
    ['a prototype in disguise', '{"a":{"__\\u0070roto__":1}}', '__proto__'],
    ['an inexact whole number', '{"id":9007199254740993}', 'the number 9007199254740993 cannot be kept exactly'],
    ['an inexact negative number', '[-12345678901234567890]', 'cannot be kept exactly'],
    ['an infinite number', '{"a":1e999}', 'the number 1e999'],
    ['half a character', '{"a":"\\ud800"}', 'Unicode'],
    ['excessive nesting', `${'['.repeat(40)}${']'.repeat(40)}`, 'nested at most 32 deep'],
    ['nesting beyond any stack', '['.repeat(60_000), 'not JSON'],
    ['complete excessive nesting', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'nested at most 32 deep'],
    ['an excessive length', JSON.stringify('x'.repeat(70_000)), 'more than 65536 characters'],
    ['comments', '{"a":1 /* one */}', 'not JSON'],
    ['an empty text', '', 'not JSON'],
  ])('[RL5] rejects %s', (_what, text, problem) => {
    expect(readJsonText(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it.each([
    ['{"a":9007199254740991,"b":-0.5,"c":1e21}', { a: 9007199254740991, b: -0.5, c: 1e21 }],
    ['{"a":"{\\"a\\":1,\\"a\\":2} 99999999999999999999 \\\\"}', { a: '{"a":1,"a":2} 99999999999999999999 \\' }],
    ['{"constructor":1,"a":{"constructor":2}}', { constructor: 1, a: { constructor: 2 } }],
    ['{"":1,"a":{"":2},"b":["",":"]}', { '': 1, a: { '': 2 }, b: ['', ':'] }],
  ])('[RL5] accepts %s', (text, value) => {
    expect(readJsonText(text)).toEqual({ value });
  });

  it('[RL5] reads the output of JSON.stringify unchanged, or rejects it with a reason', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 1);
        const read = readJsonText(text);
        if ('value' in read) expect(JSON.stringify(read.value)).toBe(JSON.stringify(JSON.parse(text)));
        else expect(read.problem).not.toBe('');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('answers of any kind', () => {
  const fences = ['```', '````', '~~~', '```json', '```json meta', '---', '...', '`'];
  const signs = ['\n', '\r\n', '\r', '\ufeff', '{', '}', '"', ' ', '> ', '\u2028', 'x'];
  const piece = fc.constantFrom(...fences, ...signs, yes, no, 'ok: true');
  const answers = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  );

  it('[RL4, RL9] is found, invalid or absent, and found metadata is in a block', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        const outcome = await judge(answer);
        if (outcome.kind !== 'found') return;
        const said = metaBlocks(answer).map(({ read }) => ('value' in read ? read.value : null));
        expect(said).toContainEqual(outcome.said);
        expect(answer).toMatch(outcome.meta.ok ? /true/ : /false/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[RL4] finds a marked block at the end after any text without fences', async () => {
    const prose = fc.array(fc.string().filter((line) => !/^ {0,3}(`{3}|~{3}|---)/.test(line) && !/[\r\n]/.test(line)));
    await fc.assert(
      fc.asyncProperty(prose, fc.boolean(), async (lines, ok) => {
        const answer = [...lines, '', fence('json meta', JSON.stringify({ ok }))].join('\n');
        expect(await judge(answer)).toMatchObject({ kind: 'found', meta: { ok } });
      }),
      { numRuns: 1_000 },
    );
  });

  // Anything worse than linear would take minutes.
  it.each([
    ['blanks', ' '.repeat(1_000_000)],
    ['line ends', '\n'.repeat(1_000_000)],
    ['backticks', '`'.repeat(1_000_000)],
    ['backticks and words', `${'`'.repeat(500_000)} ${'x`'.repeat(250_000)}`],
    ['fences', '```\n'.repeat(250_000)],
    ['fences of growing length', Array.from({ length: 1_400 }, (_, i) => '`'.repeat(i + 3)).join('\n')],
    ['blocks', `${fence('json', '{"a":1}')}\n`.repeat(50_000)],
    ['unreadable blocks', `${fence('json', '{')}\n`.repeat(70_000)],
    ['rules', '---\n'.repeat(250_000)],
    ['a front matter without end', `---\n${'a: 1\n'.repeat(200_000)}`],
    ['a front matter of colons', `---\n${':'.repeat(1_000_000)}\n---\n`],
    ['braces', '{'.repeat(500_000) + '}'.repeat(500_000)],
    ['quotes', `{${'"'.repeat(1_000_000)}}`],
  ])('[RL5] reads a megabyte of %s in linear time', async (_what, answer) => {
    expect(['absent', 'invalid']).toContain((await judge(answer)).kind);
  });
});
