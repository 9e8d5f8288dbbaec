/** A connection to an MCP server, and what must not be shown of it. */

import type { Transport } from '@modelcontextprotocol/client';
import type { AdapterContext, DispatchBundle } from './attempt/driver.ts';
import { refuse } from './attempt/failure.ts';
import { filledOrRefused } from '../../node/governed/adapters/filled-settings.ts';
import { secretsInUrl } from '../../node/governed/adapters/http-words.ts';
import { programFor } from './local-cli-program.ts';
import { ProgramTransport, type Sdk } from './mcp-program.ts';
import type { McpHttp, McpSettings, McpStdio } from '../../node/governed/adapters/mcp-settings.ts';

export interface Link {
  readonly transport: Transport;
  readonly secrets: readonly string[];
  /** What a program wrote beside its messages. */
  stderr(): string;
}

/** Answers may be as long as they like in time, not in bytes. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;

export async function linkOf(
  sdk: Sdk,
  settings: McpSettings,
  bundle: DispatchBundle,
  context: AdapterContext,
): Promise<Link> {
  return settings.transport === 'stdio' ? toProgram(sdk, settings, bundle, context) : toAddress(sdk, settings, context);
}

async function toProgram(
  sdk: Sdk,
  settings: McpStdio,
  bundle: DispatchBundle,
  { variables, runtimeId }: AdapterContext,
): Promise<Link> {
  const { texts, secrets } = filledOrRefused(settings.env, variables, `runtimes.${runtimeId}.env`);
  const program = await programFor(bundle, settings, texts);
  const transport = new ProgramTransport(sdk, program);
  return { transport, secrets, stderr: () => transport.stderr };
}

function toAddress(sdk: Sdk, { url, headers }: McpHttp, { variables, runtimeId }: AdapterContext): Link {
  const { texts, secrets } = filledOrRefused(headers, variables, `runtimes.${runtimeId}.headers`);
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
        if (bytes > MOST_ANSWER_BYTES) out.error(new Error(`an answer of more than ${MOST_ANSWER_BYTES} bytes`));
        else out.enqueue(part);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
