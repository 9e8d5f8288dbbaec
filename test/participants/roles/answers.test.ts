// Metadata in an agent's own answer, also in those of agents who mean no good.

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
    ['a block marked without its language', fence('meta', yes)],
    ['in capitals', fence('JSON META', yes)],
    ['with the mark in braces', fence('json {meta}', yes)],
    ['front matter', '---\nok: true\n---\nSo.'],
    ['front matter that ends in dots', '---\nok: true\n...\nSo.'],
    ['the answer as a whole', ` \n{"ok":\n true}\n`],
    ['a block of JSON', `So.\n${fence('json', yes)}\nThat is all.`],
    ['a block of nothing said', `So.\n${fence('', yes)}`],
    ['tildes', fence('json', yes, '~~~')],
    ['a longer fence', fence('json', yes, '`````')],
    ['an indented fence', `  \`\`\`json\n  ${yes}\n  \`\`\``],
    ['carriage returns', `---\r\nok: true\r\n---\r\nSo.\r\n`],
    ['carriage returns in a block', `So.\r\n${fence('json', '{\r\n"ok":true\r\n}').replaceAll('\n', '\r\n')}`],
    ['old carriage returns', `So.\r${fence('json', yes).replaceAll('\n', '\r')}`],
    ['a byte order mark', `\ufeff---\nok: true\n---\n`],
    ['a byte order mark before JSON', `\ufeff${yes}`],
    ['a byte order mark within a block', fence('json', `\ufeff${yes}`)],
    ['a block that is never closed', `So.\n\`\`\`json\n${yes}`],
    ['the same said twice', `${fence('json', yes)}\n${fence('json', '{ "ok" : true }')}`],
    ['one block that is right among others', `${fence('json', '{"name":"x"}')}\n${fence('json', yes)}`],
    ['a block of another language beside it', `${fence('ts', no)}\n${fence('json', yes)}`],
    ['a marked block among blocks', `${fence('json', no)}\n${fence('json meta', yes)}\n${fence('json', no)}`],
    ['a marked block under front matter', `---\nok: false\n---\n${fence('json meta', yes)}`],
    ['front matter over a block', `---\nok: true\n---\n${fence('json', no)}`],
    ['a block within a longer one is text', `${fence('md', fence('json meta', no), '````')}\n${fence('json', yes)}`],
    ['a block within tildes is text', `${fence('', fence('json meta', no), '~~~')}\n${fence('json', yes)}`],
    [
      'what others are quoted with is theirs',
      `> ${fence('json meta', no).replaceAll('\n', '\n> ')}\n${fence('json', yes)}`,
    ],
    ['deeper indented it is code', `    \`\`\`json meta\n    ${no}\n    \`\`\`\n\n${fence('json', yes)}`],
    ['rules are no front matter', `---\nHello.\n---\n${fence('json', yes)}`],
    ['nor are words with a colon that are no YAML', `---\nNote: this: that\n---\n${fence('json', yes)}`],
    ['a marked block that cannot be read gives way', `${fence('json meta', '{ok: ?}')}\n${fence('json', yes)}`],
    ['further members are the schema’s business', fence('json', '{"ok":true,"more":[1,{"a":null}]}')],
  ])('[RL4] is in %s', async (_what, answer) => {
    expect(await judge(answer)).toMatchObject({ kind: 'found', meta: { ok: true } });
  });

  it.each([
    ['an empty answer', ''],
    ['prose', 'It is good. {"ok":true} I think.'],
    ['a fence with words behind backticks', '``` json ` {"ok":true}\n```'],
    ['a rule', '---'],
    ['an empty front matter', '---\n---\nSo.'],
    ['front matter that does not end', '---\nok: true\n'],
    ['front matter that does not come first', 'So.\n---\nok: true\n---\n'],
    ['another language', fence('yaml', 'ok: true')],
    ['a language that only begins like it', fence('json5', yes)],
  ])('[RL4] is not in %s', async (_what, answer) => {
    expect(await judge(answer)).toMatchObject({ kind: 'absent' });
  });

  it.each([
    [
      'two blocks that say different things',
      `${fence('json', yes)}\n${fence('json', no)}`,
      'several blocks look like metadata and differ: the block of line 1, the block of line 4',
    ],
    ['two marked blocks', `${fence('json meta', yes)}\n${fence('json meta', no)}`, 'several blocks'],
    ['JSON that breaks off', 'So.\n```json meta\n{"ok":tr', 'the block of line 2: not JSON'],
    ['a list', fence('json', '[true]'), 'expected a JSON object'],
    ['a value of another kind', fence('json meta', '{"ok":"yes"}'), 'expected true or false, got "yes"'],
    [
      'a clearer block that is wrong',
      `${fence('json meta', '{"ok":1}')}\n${fence('json', yes)}`,
      'expected true or false, got 1',
    ],
    ['front matter that is no YAML', '---\nok: [true\n---\n', 'front matter, line'],
    ['front matter with a key twice', '---\nok: true\nok: false\n---\n', 'Map keys must be unique'],
    ['front matter with an alias', '---\na: &a 1\nok: *a\n---\n', 'anchors, aliases and tags'],
    ['a large front matter', `---\nok: true\nx: ${'y'.repeat(20_000)}\n---\n`, 'at most 8192 bytes'],
  ])('[RL4, RL9] %s is told, and nothing made of it', async (_what, answer, message) => {
    expect(await judge(answer)).toMatchObject({
      kind: 'invalid',
      issues: [{ message: expect.stringContaining(message) }],
    });
  });
});

describe('JSON that an agent wrote', () => {
  it.each([
    ['a key twice', '{"a":1,"b":{"a":2},"a":3}', 'duplicate key "a"'],
    ['a key twice, written in two ways', '{"a":1,"\\u0061":2}', 'duplicate key "\\u0061"'],
    ['a key twice in a list', '[{"a":1},{"a":1,"a":1}]', 'duplicate key'],
    ['a prototype', '{"__proto__":{"ok":true}}', '__proto__'],
    ['a prototype in disguise', '{"a":{"__\\u0070roto__":1}}', '__proto__'],
    [
      'a whole number that would be rounded',
      '{"id":9007199254740993}',
      'the number 9007199254740993 cannot be kept exactly',
    ],
    ['one below', '[-12345678901234567890]', 'cannot be kept exactly'],
    ['a number beyond all numbers', '{"a":1e999}', 'the number 1e999'],
    ['half a character', '{"a":"\\ud800"}', 'Unicode'],
    ['what is nested too deep', `${'['.repeat(40)}${']'.repeat(40)}`, 'nested at most 32 deep'],
    ['what is nested beyond all stacks', '['.repeat(60_000), 'not JSON'],
    ['what is nested and whole', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'nested at most 32 deep'],
    ['what is too long', JSON.stringify('x'.repeat(70_000)), 'more than 65536 characters'],
    ['comments', '{"a":1 /* one */}', 'not JSON'],
    ['nothing', '', 'not JSON'],
  ])('[RL5] refuses %s', (_what, text, problem) => {
    expect(readJsonText(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it.each([
    ['{"a":9007199254740991,"b":-0.5,"c":1e21}', { a: 9007199254740991, b: -0.5, c: 1e21 }],
    ['{"a":"{\\"a\\":1,\\"a\\":2} 99999999999999999999 \\\\"}', { a: '{"a":1,"a":2} 99999999999999999999 \\' }],
    ['{"constructor":1,"a":{"constructor":2}}', { constructor: 1, a: { constructor: 2 } }],
    ['{"":1,"a":{"":2},"b":["",":"]}', { '': 1, a: { '': 2 }, b: ['', ':'] }],
  ])('[RL5] takes %s', (text, value) => {
    expect(readJsonText(text)).toEqual({ value });
  });

  it('[RL5] what JSON.stringify wrote is read as it was, unless it is refused with a reason', () => {
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
  const piece = fc.constantFrom(
    '```',
    '````',
    '~~~',
    '```json',
    '```json meta',
    '---',
    '...',
    '\n',
    '\r\n',
    '\r',
    '\ufeff',
    '{',
    '}',
    yes,
    no,
    'ok: true',
    '"',
    ' ',
    '> ',
    '\u2028',
    '`',
    'x',
  );
  const answers = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  );

  it('[RL4, RL9] are found, invalid or absent, and what is found was said in a block', async () => {
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

  it('[RL4] a marked block at the end is found behind any text that opens no block', async () => {
    const prose = fc.array(fc.string().filter((line) => !/^ {0,3}(`{3}|~{3}|---)/.test(line) && !/[\r\n]/.test(line)));
    await fc.assert(
      fc.asyncProperty(prose, fc.boolean(), async (lines, ok) => {
        const answer = [...lines, '', fence('json meta', JSON.stringify({ ok }))].join('\n');
        expect(await judge(answer)).toMatchObject({ kind: 'found', meta: { ok } });
      }),
      { numRuns: 1_000 },
    );
  });

  // What would not be linear in one of these takes minutes, which no test has.
  it.each([
    ['blanks', ' '.repeat(1_000_000)],
    ['line ends', '\n'.repeat(1_000_000)],
    ['backticks', '`'.repeat(1_000_000)],
    ['backticks and words', `${'`'.repeat(500_000)} ${'x`'.repeat(250_000)}`],
    ['fences', '```\n'.repeat(250_000)],
    ['fences of growing length', Array.from({ length: 1_400 }, (_, i) => '`'.repeat(i + 3)).join('\n')],
    ['blocks', `${fence('json', '{"a":1}')}\n`.repeat(50_000)],
    ['blocks that cannot be read', `${fence('json', '{')}\n`.repeat(70_000)],
    ['rules', '---\n'.repeat(250_000)],
    ['a front matter without end', `---\n${'a: 1\n'.repeat(200_000)}`],
    ['a front matter of colons', `---\n${':'.repeat(1_000_000)}\n---\n`],
    ['braces', '{'.repeat(500_000) + '}'.repeat(500_000)],
    ['quotes', `{${'"'.repeat(1_000_000)}}`],
  ])('[RL5] a megabyte of %s is read in linear time', async (_what, answer) => {
    expect(['absent', 'invalid']).toContain((await judge(answer)).kind);
  });
});
