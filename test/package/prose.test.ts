// Prose is read once: no clause as a subject, no passive without an actor, no archaic word, no sentence over 40 words.
// A finding is a sentence to rewrite. PROSE_EXCEPTIONS holds the few that must stay; it may only shrink.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { PROSE_EXCEPTIONS } from './prose-exceptions.ts';
import { read, root } from './repository.ts';

const VERB =
  '(is|are|has|have|gets?|goes|may|must|can|stays?|comes?|counts?|begins?|ends?|waits?|takes?|was|were|will)';
const STIFF: Readonly<Record<string, RegExp>> = {
  'a clause as subject': new RegExp(
    `^(who|whoever|whose|whom|what|whatever|those who) (?!if )[a-z’' ,-]*\\b${VERB}\\b`,
    'i',
  ),
  'a clause as object':
    /\b(by|to|for|of|with|from) (whoever|who|what|whatever) (is|are|has|have|was|were|may|comes?|asks?|waits?|joins?)\b/i,
  'a passive without an actor': /\b(is|are|was|were|be|been|being) (told|heard of|had|to be had|gone to|seen to)\b/i,
  'an old word':
    /\b(anew|afresh|hence|thereof|therein|thereby|wherein|whereof|forthwith|lest|(of|for) (its|his|her|their|one[’']s) own)\b/i,
  'an empty phrase':
    /\b(unless told|than is usual|what is usual|in good order|is no more|is at an end|comes about|as told)\b/i,
};

function problemOf(text: string): string | undefined {
  if (/\?\s*$/.test(text)) return undefined;
  if (text.split(/\s+/).length > 40 && !/ {3}/.test(text)) return 'more than 40 words';
  return Object.entries(STIFF).find(([, pattern]) => pattern.test(text))?.[0];
}

function sentencesOf(file: string): { readonly file: string; readonly text: string }[] {
  const prose = file.endsWith('.md') ? paragraphs(read(file)) : [...comments(read(file)), ...texts(read(file))];
  return prose
    .flatMap((text) => text.split(/(?<=[.;:!?])\s+/))
    .map((text) => ({ file, text: text.trim() }))
    .filter(({ text }) => text.split(/\s+/).length >= 3);
}

/** Table cells and list items are prose of their own; code is not prose. */
function paragraphs(markdown: string): string[] {
  const prose = markdown.replaceAll(/^\s*```[\s\S]*?^\s*```/gm, '').replaceAll(/`[^`]*`|\]\([^)]*\)|<[^>]*>/g, 'x');
  return prose.split(/\n\s*\n|\n(?=\s*[-*#|>]|\s*\d+\. )|\|/).map((text) => text.replaceAll(/^[\s>#*-]+|\s+/g, ' '));
}

function comments(code: string): string[] {
  const blocks = [...code.matchAll(/^\s*\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/ (.*(?:\n\s*\/\/ .*)*)/gm)];
  return blocks.map(([, block = '', line = '']) =>
    `${block}${line}`.replaceAll(/\n\s*(?:\*|\/\/)?|`[^`]*`/g, (part) => (part[0] === '`' ? 'x' : ' ')),
  );
}

function texts(code: string): string[] {
  const quoted = [...code.matchAll(/'((?:[^'\\\n]|\\.){18,})'|`((?:[^`\\]|\\.){18,})`|"((?:[^"\\\n]|\\.){18,})"/g)];
  return quoted
    .map(([, ...parts]) => parts.find((part) => part !== undefined) ?? '')
    .map((text) => text.replace(/^\[[A-Z0-9, ]+\]\s*/, '').replaceAll(/\$\{[^}]*\}/g, 'x'))
    .filter((text) => /\s[a-z]+\s/.test(text) && !/[{};=<>]{2}|\n/.test(text));
}

const isProse = (file: string) =>
  /\.(ts|tsx|mjs|md|css)$/.test(file) && !/golden|fixtures|prose|LICENSE|wire-operations/.test(file);
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(isProse);
const stiff = files.flatMap(sentencesOf).flatMap(({ file, text }) => {
  const problem = problemOf(text);
  return problem === undefined ? [] : [{ file, text, problem }];
});

it('[PK11] no new sentence makes a reader stop', () => {
  expect(stiff.filter(({ text }) => !PROSE_EXCEPTIONS.includes(text))).toEqual([]);
});

it('[PK11] every exception is still needed', () => {
  expect(PROSE_EXCEPTIONS.filter((one) => !stiff.some(({ text }) => text === one))).toEqual([]);
});
