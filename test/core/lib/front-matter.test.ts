import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/core/lib/errors.ts';
import { parseFrontMatter } from '../../../src/core/lib/front-matter.ts';
import { refused } from '../refused.ts';

const parse = (text: string) => parseFrontMatter(text, 'params.text');
const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

describe('front matter', () => {
  it.each([
    ['name: reviewer\ndescription: Reads code.', { name: 'reviewer', description: 'Reads code.' }],
    [
      'tags: [a, b]\nmeta:\n  since: 2020-01-01\n  paid: true',
      { tags: ['a', 'b'], meta: { since: '2020-01-01', paid: true } },
    ],
    ['text: |\n  two\n  lines', { text: 'two\nlines\n' }],
    ['1: one\ntrue: yes\nconstructor: mine', { '1': 'one', true: 'yes', constructor: 'mine' }],
    ['<<: {a: 1}', { '<<': { a: 1 } }],
    ['a: 1\r\nb: 2', { a: 1, b: 2 }],
    ['a: 9007199254740991\nb: 1e30\nc: "9007199254740993"', { a: 9007199254740991, b: 1e30, c: '9007199254740993' }],
    ['', {}],
    ['# nothing yet', {}],
  ])('[ID5] parses %j as plain data', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ['a key twice', 'a: 1\nb: 2\na: 3', 4, 'Map keys must be unique'],
    ['a key twice, deeper', 'm:\n  a: 1\n  a: 2', 4, 'Map keys must be unique'],
    ['a list without end', 'a: 1\nb: [1', 3, 'Flow sequence'],
    ['nonsense', 'a: b: c', 2, 'Nested mappings are not allowed'],
    ['a tab', 'a:\n\tb: 1', 3, 'Tabs are not allowed'],
    ['a tag of its own', 'a: 1\nb: !!js/function "() => 1"', 3, 'Unresolved tag'],
    ['a tag that is known', 'a: !!binary aGk=', 2, 'Unresolved tag'],
    ['a redundant tag', 'a: !!str 5', 2, 'anchors, aliases and tags are not supported'],
    ['an anchor', 'a: &x 1', 2, 'anchors, aliases and tags are not supported'],
    ['an alias of nothing', 'a: *x', 2, 'anchors, aliases and tags are not supported'],
    ['an alias bomb', 'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]', 2, 'anchors, aliases and tags'],
    ['a key that is a map', '{a: 1}: x', 2, 'all keys must be strings'],
    ['a number that would be rounded', 'a: 9007199254740993', 2, 'beyond 2^53 would be rounded'],
    ['the same in hex', 'a: 1\nb: [0x20000000000001]', 3, 'beyond 2^53 would be rounded'],
    ['a second document', 'a: 1\n...\nb: 2', 4, 'one document'],
    ['a directive', '%YAML 1.1\na: 1', 3, 'Missing directives-end'],
    ['a list', '- a', 2, 'expected keys with values'],
    ['a text', 'just text', 2, 'expected keys with values'],
    ['deep flow', '[[[[[[[['.repeat(300), 2, 'nested deeper than 16 levels'],
    ['deep maps', '{a: '.repeat(900), 2, 'nested deeper than 16 levels'],
    ['deep lists', '- '.repeat(2000), 2, 'nested deeper than 16 levels'],
    ['deep keys', '? '.repeat(2000), 2, 'nested deeper than 16 levels'],
    ['deep values', ': '.repeat(2000), 2, 'nested deeper than 16 levels'],
    ['deep blocks', lines(80, (i) => `${' '.repeat(i)}a:`), 33, 'nested deeper than 16 levels'],
  ])('[ID5] rejects %s and names the line', (_what, text, line, problem) => {
    const { code, message, details } = refused(() => parse(text));
    expect({ code, details }).toEqual({ code: 'bad_frame', details: { field: 'params.text', line } });
    expect(message).toContain(`params.text: front matter, line ${line}: `);
    expect(message).toContain(problem);
  });

  it.each([
    ['__proto__: {admin: true}', 'front matter.__proto__'],
    ['a:\n  "__proto__": 1', 'front matter.a.__proto__'],
    ['a: .nan', 'front matter.a'],
    ['a: .inf', 'front matter.a'],
    ['a: "\\ud800"', 'front matter.a'],
    [`${'{a: '.repeat(17)}1${'}'.repeat(17)}`, 'front matter.a.a'],
  ])('[ID5, RE2] rejects %j and names the key', (text, field) => {
    const { code, details } = refused(() => parse(text));
    expect(code).toBe('bad_frame');
    expect(details?.field).toContain(`params.text: ${field}`);
    expect(Object.prototype).not.toHaveProperty('admin');
  });

  it('[ID5] is limited in bytes; 16 levels are accepted', () => {
    expect(parse(`a: ${'x'.repeat(4093)}`)).toEqual({ a: 'x'.repeat(4093) });
    expect(refused(() => parse(`a: ${'x'.repeat(4094)}`))).toMatchObject({ code: 'too_large' });
    expect(refused(() => parse(`a: ${'ä'.repeat(2047)}`))).toMatchObject({ code: 'too_large' });
    expect(parse(`${'{a: '.repeat(16)}1${'}'.repeat(16)}`)).toHaveProperty('a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a', 1);
  });

  it('[ID5, L8] accepts any text or throws a WireError', () => {
    const token = fc.constantFrom(
      ...'[]{}:,-?&*!|>\'"%@`#~ \n\t',
      '- ',
      ': ',
      '? ',
      '\n  ',
      'a',
      '<<',
      '---',
      '...',
      '!!',
      '\\',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(token, { maxLength: 400 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        try {
          expect(JSON.parse(JSON.stringify(parse(given)))).toEqual(parse(given));
        } catch (error) {
          if (!(error instanceof WireError)) throw error;
          expect(['bad_frame', 'too_large']).toContain(error.code);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
