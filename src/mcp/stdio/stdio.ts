/** An MCP server on this process's stdin and stdout, for one name at one hub, until stdin ends or cannot be followed. */

import { once } from 'node:events';
import type { Logger } from '../../core/ports/platform.ts';
import { mcpServer } from '../server/server.ts';
import { HubLink, type LinkSettings } from './hub-link.ts';

export interface StdioSettings extends LinkSettings {
  readonly maxWaitMs: number;
}

/** Resolves when it is over; false = what came on stdin could not be followed any more. */
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
      // Present from the start. A host of the newer revision may only be looking what this is, and is gone again.
      if (era === 'legacy') void link.connected().catch((error: unknown) => tellLater(log, error));
      return mcpServer(sdk, link, { maxWaitMs, signal: gone.signal });
    },
    { onerror, transport },
  );
  refuseWhatIsNoMessage(transport);
  const isInOrder = await Promise.race([over(), brokenOff(transport)]);
  if (!isInOrder) log.warn('ended: what came on stdin could not be followed any more. Start it again.');
  gone.abort();
  await serving.close();
  await link.end();
  return isInOrder;
}

/** Whoever sent it would wait for an answer without end. Several in one line are of revisions that are not spoken here. */
function refuseWhatIsNoMessage(transport: { onerror?: ((error: Error) => void) | undefined }): void {
  const { onerror } = transport;
  transport.onerror = (error) => {
    onerror?.(error);
    // What its schema does not take; it is not told what it was.
    if (!('issues' in error)) return;
    const message = 'Invalid Request: expected one message in a line, an object of JSON-RPC 2.0 and no list of them';
    // Written here: what answers nothing in particular is no message to the SDK.
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } })}\n`);
  };
}

/** It closes by itself, for instance at a line longer than it takes, and hears nothing from then on. */
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
  log.warn(`not connected yet, and tried again at the next call: ${error instanceof Error ? error.message : error}`);
}

/** Its host closes stdin, or ends it. */
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
