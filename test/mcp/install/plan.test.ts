// Install and undo on random files: foreign bytes never change.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Plan, planInstall, planUndo } from '../../../src/mcp/install/plan.ts';
import { runs } from '../../support/size.ts';
import { toolNamed } from './workshop.ts';

const WORDS = ['parley', 'mcp', '--name', 'a "b" \\ ü \u007f', '--url', 'ws://h:1'];

const name = fc.stringMatching(/^[a-z]{1,4}$/);
const server = fc.record({ command: fc.string(), args: fc.array(fc.string(), { maxLength: 2 }) });
const servers = fc.dictionary(name, server, { maxKeys: 3 });

/** JSON with any indentation, trailing commas and comments at line ends. */
const jsonText = fc
  .record({
    rest: fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    servers: fc.option(servers),
    isLast: fc.boolean(),
    indent: fc.constantFrom(undefined, 1, 2, 4, '\t'),
    notes: fc.array(fc.constantFrom('', ' // note', ' /* a } , note */'), { minLength: 1, maxLength: 7 }),
    hasCommas: fc.boolean(),
    eol: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ rest, servers: own, isLast, indent, notes, hasCommas, eol }) => {
    const part = own === null ? {} : { mcpServers: own };
    const text = JSON.stringify(isLast ? { ...rest, ...part } : { ...part, ...rest }, null, indent);
    const lines = text.split('\n');
    if (lines.length === 1) return text + eol;
    const comma = (line: string, i: number) =>
      hasCommas && /^\s*[\]}]/.test(lines[i + 1] ?? '') && !/[[{,]$/.test(line) ? `${line},` : line;
    return lines.map((line, i) => comma(line, i) + (notes[i % notes.length] ?? '')).join(eol) + eol;
  });

const tomlText = fc
  .record({
    top: fc.dictionary(name, fc.oneof(fc.integer(), fc.string(), fc.boolean()), { maxKeys: 3 }),
    servers,
    note: fc.constantFrom('', ' # note', ' # [mcp_servers.parley]'),
    gap: fc.constantFrom('', '\n', '\n# between\n'),
    eol: fc.constantFrom('\n', '\r\n'),
    end: fc.constantFrom('', '\n', '\n\n', '\n# end'),
  })
  .map(({ top, servers: own, note, gap, eol, end }) => {
    const text = (value: unknown) => JSON.stringify(value).replaceAll('\u007f', '\\u007f');
    const members = (of: object) => Object.entries(of).map(([key, value]) => `${key} = ${text(value)}${note}`);
    const tables = Object.entries(own).map(([key, of]) => [`[mcp_servers.${key}]${note}`, ...members(of)].join('\n'));
    return ([...members(top), ...tables].join(`\n${gap}`) + end).replaceAll('\n', eol);
  });

const written = (plan: Plan): string => {
  if (plan.kind !== 'write') throw new Error(`expected something to write, got "${plan.kind}"`);
  return plan.after;
};

describe.each([
  ['gemini', jsonText, /\/\/ note|\/\* a } , note \*\//g],
  ['codex', tomlText, /# note|# \[mcp_servers.parley\]|# between|# end/g],
] as const)('%s', (which, texts, comments) => {
  const tool = toolNamed(which);

  it('[MI2] restores every byte after install, repeat and undo', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const after = written(planInstall(tool, 'parley', WORDS, text));
        expect(planInstall(tool, 'parley', WORDS, after)).toEqual({ kind: 'nothing' });
        const undo = planUndo(tool, 'parley', { text: after, backup: text });
        expect(undo).toEqual({ kind: 'write', act: 'restored', after: text });
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('[MI2] keeps the existing text at install, and removes only the entry without a backup', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const after = written(planInstall(tool, 'parley', WORDS, text));
        expect(isWithin(text, after)).toBe(true);
        const backup = `${text}${which === 'codex' ? '#' : '//'}`;
        const out = written(planUndo(tool, 'parley', { text: after, backup }));
        expect(tool.format.read(out, [])).toEqual(tool.format.read(text, []));
        expect(out.match(comments)).toEqual(text.match(comments));
        // Plain JSON stays plain JSON.
        if (isJson(text)) expect([after, out].filter((one) => !isJson(one))).toEqual([]);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** True if `inner` is a subsequence of `outer`. */
function isWithin(inner: string, outer: string): boolean {
  let at = 0;
  for (const character of outer) if (character === inner[at]) at += 1;
  return at === inner.length;
}
