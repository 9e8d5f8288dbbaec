/** Where an MCP server is (a program started for the turn, or an address), the connection to it, and what must not be shown of it. */

import type { Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { DispatchBundle, DriverContext } from './attempt/driver.ts';
import { isHttpUrl, refuse, secretsInUrl } from './attempt/failure.ts';
import { expandSettings } from './attempt/settings.ts';
import { programFor } from './local-cli-program.ts';
import { ProgramTransport, type Sdk } from './mcp-program.ts';

interface Common {
  readonly tool_name: string;
  /** Of silence: progress begins it anew. */
  readonly timeout_ms: number;
  /** Whatever progress is made. */
  readonly total_timeout_ms: number;
}

interface McpStdio extends Common {
  readonly transport: 'stdio';
  readonly command: string | readonly string[];
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

interface McpHttp extends Common {
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

export interface Link {
  readonly transport: Transport;
  readonly secrets: readonly string[];
  /** What a program wrote beside its messages. */
  stderr(): string;
}

/** Answers may be as long as they like in time, not in bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export async function openTransport(
  sdk: Sdk,
  settings: McpSettings,
  bundle: DispatchBundle,
  context: DriverContext,
): Promise<Link> {
  return settings.transport === 'stdio' ? toProgram(sdk, settings, bundle, context) : toAddress(sdk, settings, context);
}

async function toProgram(
  sdk: Sdk,
  settings: McpStdio,
  bundle: DispatchBundle,
  { variables, runtimeId }: DriverContext,
): Promise<Link> {
  const { texts, secrets } = expandSettings(settings.env, variables, `runtimes.${runtimeId}.env`);
  const program = await programFor(bundle, settings, texts);
  const transport = new ProgramTransport(sdk, program);
  return { transport, secrets, stderr: () => transport.stderr };
}

function toAddress(sdk: Sdk, { url, headers }: McpHttp, { variables, runtimeId }: DriverContext): Link {
  const { texts, secrets } = expandSettings(headers, variables, `runtimes.${runtimeId}.headers`);
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...texts } },
    fetch: async (address, init) => bounded(notElsewhere(await fetch(address, { ...init, redirect: 'manual' }))),
  });
  return { transport, secrets: [...secrets, ...Object.values(texts), ...secretsInUrl(url)], stderr: () => '' };
}

/** Whoever is sent on to would get the headers. */
function notElsewhere(response: Response): Response {
  const { status } = response;
  if (status < 300 || status > 399 || status === 304) return response;
  return refuse('redirected', `the server sends us elsewhere (HTTP ${status})`, { http_status: status });
}

function bounded(response: Response): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, out) {
        bytes += part.length;
        if (bytes > MAX_ANSWER_BYTES) out.error(new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`));
        else out.enqueue(part);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
