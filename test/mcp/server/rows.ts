/** The tables of docs/reference/mcp.md, as the tools and prompts themselves have them. */

import type { z } from 'zod';
import { PROMPTS } from '../../../src/mcp/server/prompts.ts';
import { TOOLS } from '../../../src/mcp/tools/table.ts';

export type Row = readonly [name: string, args: string, title: string];

export function toolRows(): readonly Row[] {
  return TOOLS.map(({ name, input, title }) => [`\`${name}\``, argsOf(input), title]);
}

export function promptRows(): readonly Row[] {
  return PROMPTS.map(({ name, args, description }) => [`\`${name}\``, argsOf(args), description]);
}

function argsOf({ shape }: z.ZodObject): string {
  return Object.entries(shape)
    .map(([name, field]) => `\`${name}${(field as z.ZodType).safeParse(undefined).success ? '?' : ''}\``)
    .join(', ');
}
