/** Serves MCP on stdin and stdout, for one name at one hub, until stdin ends or breaks. */

import { once } from 'node:events';
import type { Logger } from '../../core/ports/platform.ts';
import { mcpServer } from '../server/server.ts';
import { HubLink, type LinkSettings } from './hub-link.ts';

interface StdioSettings extends LinkSettings {
  readonly maxWaitMs: number;
}

/** Resolves when the server ends; false if stdin became unreadable. */
export async function serveStdio(settings: StdioSettings): Promise<boolean> {
  const { log, maxWaitMs } = settings;
  const [sdk, stdio] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const link = new HubLink(settings);
  const gone = new AbortController();
  const onerror = (error: Error): void => log.warn(error.message);
  const transport = new stdio.StdioServerTransport();
  const serving = stdio.serveStdio(
    ({ era }) => {
      // Connect early. A host of the newer revision may only probe the server and leave.
      if (era === 'legacy') void link.connected().catch((error: unknown) => tellLater(log, error));
      return mcpServer(sdk, link, { maxWaitMs, signal: gone.signal });
    },
    { onerror, transport },
  );
  rejectNonMessages(transport);
  const isInOrder = await Promise.race([over(), brokenOff(transport)]);
  if (!isInOrder) log.warn('ended: stdin is unreadable; start the server again');
  gone.abort();
  await serving.close();
  await link.end();
  return isInOrder;
}

/** Answers lines that are not messages, so that their sender does not wait forever. Batches belong to unsupported revisions. */
function rejectNonMessages(transport: { onerror?: ((error: Error) => void) | undefined }): void {
  const { onerror } = transport;
  transport.onerror = (error) => {
    onerror?.(error);
    // Only schema errors have issues; they do not include the line.
    if (!('issues' in error)) return;
    const message = 'Invalid Request: expected one JSON-RPC 2.0 object per line, not a batch';
    // Written directly: the SDK sends no answer without a request id.
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } })}\n`);
  };
}

/** Resolves when the transport closes; false if stdin was still open, for instance after a line that is too long. */
function brokenOff(transport: { onclose?: (() => void) | undefined }): Promise<boolean> {
  const { onclose } = transport;
  return new Promise((resolve) => {
    transport.onclose = () => {
      onclose?.();
      const { stdin, stdout } = process;
      resolve(stdin.readableEnded || stdin.destroyed || stdout.destroyed || stdout.errored !== null);
    };
  });
}

function tellLater(log: Logger, error: unknown): void {
  log.warn(`not connected; the next call tries again: ${error instanceof Error ? error.message : error}`);
}

/** Resolves when the host closes stdin or sends a signal. */
async function over(): Promise<boolean> {
  const { stdin, stdout } = process;
  await Promise.race([
    once(stdin, 'end'),
    once(stdin, 'close'),
    once(stdout, 'error'),
    once(process, 'SIGINT'),
    once(process, 'SIGTERM'),
  ]);
  return true;
}
