import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFinder, snippetOf, textValues } from '../../../src/core/lib/find-text.ts';

function shown(query: string, text: string, match: 'substring' | 'words' = 'substring'): string | null {
  const found = createFinder(query, match)?.(text) ?? null;
  return found === null ? null : found.text.slice(found.from, found.to);
}

describe('text search', () => {
  it.each([
    ['soup', 'No soup today', 'soup'],
    ['SOUP', 'no Soup today', 'Soup'],
    ['no soup', 'nosoup', null],
    ['strasse', 'Die Straße', 'Straße'],
    ['STRASSE 9', 'Die Straße 9', 'Straße 9'],
    ['ΟΔΟΣ', 'η οδός, οδος', 'οδος'],
    ['cafe\u0301', 'le caf\u00e9', 'caf\u00e9'],
    ['caf\u00e9', 'le cafe\u0301!', 'caf\u00e9'],
    ['ﬁn', 'the ﬁnal one', 'ﬁn'],
    ['🙂x', 'ß🙂X!', '🙂X'],
    ['日本', 'これは日本語', '日本'],
    ['.*', 'nothing here', null],
    ['(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!', null],
    ['[x', 'an [X] there', '[X'],
  ])('[SR4] finds %j in %j as %j', (query, text, expected) => {
    expect(shown(query, text)).toBe(expected);
  });

  it.each([
    ['rice soup', 'Soup, then rice.', 'Soup'],
    ['rice soup', 'Soup, then ricecakes.', null],
    ['Rice', 'price', null],
    ['STRASSE', 'In der Straße.', 'Straße'],
    ['naïve', 'so NAI\u0308VE', 'NA\u00cfVE'],
  ])('[SR4] finds the words %j in %j, first %j', (query, text, expected) => {
    expect(shown(query, text, 'words')).toBe(expected);
  });

  it('[SR4] searches very long runs of combining marks in linear time', () => {
    const marks = '\u0315\u0300'.repeat(65_000);
    const from = performance.now();
    expect(shown('soup', `${marks} Soup`)).toBe('Soup');
    expect(shown('soup', `${marks} Soup`, 'words')).toBe('Soup');
    expect(shown('zz', marks)).toBe(null);
    expect(performance.now() - from).toBeLessThan(1000);
  });

  it('[SR4] finds no words in punctuation', () => {
    expect(createFinder('?! --', 'words')).toBe(null);
  });

  it('[SR4] finds any contained query, and its snippet contains the query', () => {
    const lettersOf = (text: string) => text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme-ascii', minLength: 1 }),
        fc.string({ unit: 'grapheme' }),
        (before, query, behind) => {
          const found = createFinder(query, 'substring')?.(before + query + behind);
          if (found == null) throw new Error('it is not found');
          const { snippet, at, length } = snippetOf(found);
          expect(lettersOf(snippet.slice(at, at + length))).toContain(lettersOf(query));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('[SR3] shows a snippet with context that splits no character', () => {
    const found = createFinder('needle', 'substring')?.(`${'🙂'.repeat(200)}x needle ${'🙃'.repeat(200)}`);
    if (found == null) throw new Error('it is not found');
    const { snippet, at, length } = snippetOf(found);
    expect(snippet.slice(at, at + length)).toBe('needle');
    expect(snippet.length).toBeLessThanOrEqual(6 + 2 * 61);
    expect(Buffer.from(snippet).toString()).toBe(snippet);
  });

  it('[SR4] searches all text values in order, but no member names', () => {
    expect([...textValues({ a: 'one', b: [{ c: 'two' }, 3, null, true, 'three'], four: {} })]).toEqual([
      'one',
      'two',
      'three',
    ]);
  });
});
