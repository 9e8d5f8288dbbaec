/** A request that disconnects during authentication does not count as open. */

import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type McpHub, McpSite } from '../../../src/mcp/http/mcp-site.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** Disconnects during authentication. */
async function brokenOff(response: ServerResponse): Promise<void> {
  const closed = once(response, 'close');
  response.destroy();
  await closed;
}

test('[MC3] does not count requests that disconnected during authentication', async () => {
  let breaksOff = true;
  const refused: string[] = [];
  // The part of a hub that authentication and tools/list need.
  const hub = {
    maxFrameBytes: 1_000_000,
    maxJsonDepth: 64,
    ask: async () => ({ agent_id: 'a' }),
    follow: () => () => {},
    markRead: () => {},
    refused: (code: string) => refused.push(code),
  } as unknown as McpHub;
  const site = new McpSite(hub);
  const ended: Promise<void>[] = [];
  const server = createServer((asked, response) => {
    const asker = {
      refusal: () => null,
      unproven: () => {},
      authenticate: async () => {
        if (breaksOff) await brokenOff(response);
        return { name: 'reviewer', grants: [] };
      },
    };
    ended.push(site.answer(asker as unknown as Parameters<McpSite['answer']>[0], asked, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = () =>
    new Promise<number | null>((resolve) => {
      const headers = { ...HEADERS, authorization: 'Bearer parley_x' };
      const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/mcp', headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', () => resolve(null));
      sent.end(LIST);
    });
  for (let i = 0; i < 70; i++) expect(await ask()).toBeNull();
  await Promise.all(ended);
  breaksOff = false;
  expect(await ask()).toBe(200);
  expect(refused).toEqual([]);
  await site.close();
  server.close();
});
