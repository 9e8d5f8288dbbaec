/** docs/reference/mcp.md says what the tables say. */

import { expect, test } from 'vitest';
import { read } from '../../package/repository.ts';
import { promptRows, toolRows } from './rows.ts';

const text = read('docs/reference/mcp.md');

function table(header: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const rows = lines.slice(lines.indexOf(header) + 2);
  return rows.slice(0, rows.indexOf('')).map((row) => row.slice(2, -2).split(' | '));
}

test('[MC1] docs/reference/mcp.md has every tool and every prompt with its arguments', () => {
  expect(table('| tool | arguments | what it does |')).toEqual(toolRows());
  expect(table('| prompt | arguments | what it does |')).toEqual(promptRows());
});

test('[MC1] an entry in docs/reference/mcp.md says where the token is, wherever it is started', () => {
  const entries = [...text.matchAll(/"args": (\[.*?\])/g)].map(([, args = '']) => JSON.parse(args) as string[]);
  expect(entries).not.toEqual([]);
  for (const args of entries) expect(args).toContain('--data');
});

test('[MC1] README names MCP and how a tool is set up', () => {
  expect(read('README.md')).toMatch(/\(docs\/reference\/mcp\.md\).*mcp install claude/s);
});
