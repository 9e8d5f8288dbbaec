// The docs table of reference defects names, for each defect, an existing test that rules it out here.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { expect, it } from 'vitest';
import { read, root } from '../package/repository.ts';

interface Row {
  readonly defect: string;
  readonly title: string;
  readonly file: string;
}

const TABLE = /<!-- not so here -->\n([\s\S]*?)\n<!-- \/not so here -->/g;
const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
const pages = files.filter((name) => name.endsWith('.md'));
const tables = pages.flatMap((name) => [...read(`docs/${name}`).matchAll(TABLE)].map(([, table = '']) => table));
const lines = (tables[0] ?? '').split('\n').slice(2);
const rows = lines.map((line) => {
  const row = /^\| (?<defect>.+) \| `(?<title>.+)` in `(?<file>[^`]+)` \|$/.exec(line)?.groups;
  if (row === undefined) throw new Error(`unreadable row: ${line}`);
  return row as unknown as Row;
});

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Titles of all tests that run: the string after `it(`, `it.each(…)(` and the like. */
function titlesIn(file: string): readonly string[] {
  const titles: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    else if (isNode(node)) {
      const { type, callee, arguments: given } = node;
      const [first] = Array.isArray(given) ? given : [];
      if (type === 'CallExpression' && isTest(callee) && isNode(first) && typeof first.value === 'string') {
        titles.push(first.value);
      }
      for (const value of Object.values(node)) visit(value);
    }
  };
  visit(parseAst(read(file), { lang: 'ts' }).body);
  return titles;
}

function isTest(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  const { type, name, object, property, callee: called } = callee;
  if (type === 'Identifier') return name === 'it' || name === 'test';
  if (type === 'CallExpression') return isTest(called);
  const isSkipped = isNode(property) && ['skip', 'todo', 'fails'].includes(String(property.name));
  return type === 'MemberExpression' && !isSkipped && isTest(object);
}

it('names tests that exist and run', () => {
  const titles = new Map(rows.map(({ file }) => [file, titlesIn(file)]));
  expect(rows.filter(({ file, title }) => !titles.get(file)?.includes(title))).toEqual([]);
});

it('detects skipped tests and calls that are not tests', () => {
  const [here = ''] = titlesIn('test/governed/not-so-here.test.ts');
  expect(here).toBe('names tests that exist and run');
  const callees = ['it.skip("x")', 'describe("x")', 'it.todo("x")', 'it("x")', 'it.each([1])("x")', 'it.only("x")'];
  const found = callees.map((text) => {
    const [statement] = parseAst(text).body as unknown as readonly Node[];
    return isTest(isNode(statement?.expression) && statement.expression.callee);
  });
  expect(found).toEqual([false, false, false, true, true, true]);
});

it('stands on one page and has at least 25 entries without duplicates', () => {
  expect(tables).toHaveLength(1);
  expect(rows.length).toBeGreaterThanOrEqual(25);
  for (const key of ['defect', 'title'] as const) {
    expect(new Set(rows.map((row) => row[key])).size).toBe(rows.length);
  }
});
