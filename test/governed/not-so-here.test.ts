// The list of what does not go wrong here names tests that are there, and stands on a page as it is.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { expect, it } from 'vitest';
import { read, root } from '../package/repository.ts';
import { NOT_SO_HERE, tableOf } from './not-so-here.ts';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Of every test that is run: the words after `it(`, `it.each(…)(` and the like. */
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

it('every test it names is there, and is run', () => {
  const files = [...new Set(NOT_SO_HERE.map(({ file }) => file))];
  const titles = new Map(files.map((file) => [file, titlesIn(file)]));
  expect(NOT_SO_HERE.filter(({ file, title }) => !titles.get(file)?.includes(title))).toEqual([]);
});

it('a test that is skipped or is none would be found', () => {
  const [here = ''] = titlesIn('test/governed/not-so-here.test.ts');
  expect(here).toBe('every test it names is there, and is run');
  const callees = ['it.skip("x")', 'describe("x")', 'it.todo("x")', 'it("x")', 'it.each([1])("x")', 'it.only("x")'];
  const found = callees.map((text) => {
    const [statement] = parseAst(text).body as unknown as readonly Node[];
    return isTest(isNode(statement?.expression) && statement.expression.callee);
  });
  expect(found).toEqual([false, false, false, true, true, true]);
});

it('has 25 entries at least, none of which is there twice', () => {
  expect(NOT_SO_HERE.length).toBeGreaterThanOrEqual(25);
  for (const key of ['defect', 'title'] as const) {
    expect(new Set(NOT_SO_HERE.map((one) => one[key])).size).toBe(NOT_SO_HERE.length);
  }
});

it('stands on one page, as it is', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const shown = pages.flatMap((name) =>
    [...read(`docs/${name}`).matchAll(/<!-- not so here -->\n([\s\S]*?)\n<!-- \/not so here -->/g)].map(
      ([, table = '']) => table,
    ),
  );
  expect(shown).toEqual([tableOf(NOT_SO_HERE)]);
});
