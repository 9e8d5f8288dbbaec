/** Where an MCP server is: a program that is started for the turn, or an address. */

import { z } from 'zod';
import { isHttpUrl } from './http-words.ts';

interface Common {
  readonly tool_name: string;
  /** Of silence: progress begins it anew. */
  readonly timeout_ms: number;
  /** Whatever progress is made. */
  readonly total_timeout_ms: number;
}

export interface McpStdio extends Common {
  readonly transport: 'stdio';
  readonly command: string | readonly string[];
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

export interface McpHttp extends Common {
  readonly transport: 'streamable_http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type McpSettings = McpStdio | McpHttp;

const common = {
  tool_name: z.string().min(1).default('agentxchain_turn'),
  timeout_ms: z.number().positive().default(1_200_000),
  total_timeout_ms: z.number().positive().default(7_200_000),
};
const texts = z.record(z.string(), z.string()).default({});

const STDIO = z.looseObject({
  ...common,
  transport: z.literal('stdio'),
  command: z.union([z.string().min(1), z.array(z.string()).min(1)]),
  args: z.array(z.string()).default([]),
  cwd: z.string().min(1).optional(),
  env: texts,
});

const STREAMABLE_HTTP = z.looseObject({
  ...common,
  transport: z.literal('streamable_http'),
  url: z.string().refine(isHttpUrl, 'expected an http or https URL'),
  headers: texts,
});

/** Without a transport, a server with an address is asked there. */
export const MCP: z.ZodType<McpSettings> = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && !('transport' in given)
      ? { ...given, transport: 'url' in given ? 'streamable_http' : 'stdio' }
      : given,
  z.discriminatedUnion('transport', [STDIO, STREAMABLE_HTTP]),
);
