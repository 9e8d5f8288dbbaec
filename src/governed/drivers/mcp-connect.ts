/** Reads the settings of an MCP server and connects to it: a program started for the turn, or an HTTP address. */

import type { Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { DispatchBundle, DriverContext } from './attempt/driver.ts';
import { isHttpUrl, refuse, secretsInUrl } from './attempt/failure.ts';
import { expandSettings } from './attempt/settings.ts';
import { type CommandSettings, programFor } from './local-cli-program.ts';
import { ProgramTransport, type Sdk } from './mcp-program.ts';

interface Common {
  readonly tool_name: string;
  /** Maximum time without progress. */
  readonly timeout_ms: number;
  /** Maximum total time, regardless of progress. */
  readonly total_timeout_ms: number;
}

interface McpStdio extends Common, CommandSettings {
  readonly transport: 'stdio';
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

/** If `transport` is missing, a `url` means HTTP; otherwise stdio is used. */
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
  stderr(): string;
}

/** Maximum bytes of an answer; the timeouts limit only its time. */
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
    fetch: async (address, init) => bounded(withoutRedirect(await fetch(address, { ...init, redirect: 'manual' }))),
  });
  return { transport, secrets: [...secrets, ...Object.values(texts), ...secretsInUrl(url)], stderr: () => '' };
}

/** Rejects redirects, because following one would send the headers to a different address. */
function withoutRedirect(response: Response): Response {
  const { status } = response;
  if (status < 300 || status > 399 || status === 304) return response;
  return refuse('redirected', `the server redirects (HTTP ${status})`, { http_status: status });
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
