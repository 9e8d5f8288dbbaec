/** docs/reference/mcp.md agrees with the tool and prompt tables. */

import { expect, test } from 'vitest';
import type { z } from 'zod';
import { PROMPTS } from '../../../src/mcp/server/prompts.ts';
import { TOOLS } from '../../../src/mcp/tools/table.ts';
import { read } from '../../package/repository.ts';

const text = read('docs/reference/mcp.md');

function table(header: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const rows = lines.slice(lines.indexOf(header) + 2);
  return rows.slice(0, rows.indexOf('')).map((row) => row.slice(2, -2).split(' | '));
}

test('[MC1] lists every tool and prompt with its arguments in docs/reference/mcp.md', () => {
  const tools = TOOLS.map(({ name, input, title }) => [`\`${name}\``, argsOf(input), title]);
  const prompts = PROMPTS.map(({ name, args, description }) => [`\`${name}\``, argsOf(args), description]);
  expect(table('| tool | arguments | what it does |')).toEqual(tools);
  expect(table('| prompt | arguments | what it does |')).toEqual(prompts);
});

function argsOf({ shape }: z.ZodObject): string {
  return Object.entries(shape)
    .map(([name, field]) => `\`${name}${(field as z.ZodType).safeParse(undefined).success ? '?' : ''}\``)
    .join(', ');
}

test('[MC1] names the token location in every entry of docs/reference/mcp.md', () => {
  const entries = [...text.matchAll(/"args": (\[.*?\])/g)].map(([, args = '']) => JSON.parse(args) as string[]);
  expect(entries).not.toEqual([]);
  for (const args of entries) expect(args).toContain('--data');
});

test('[MC1] names MCP and the setup command in README', () => {
  expect(read('README.md')).toMatch(/\(docs\/reference\/mcp\.md\).*mcp install claude/s);
});
