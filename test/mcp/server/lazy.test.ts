/** A hub loads MCP only when it is used. */

import { expect, test, vi } from 'vitest';
import { HttpHub } from '../../server/http/http-hub.ts';
import { Agent } from '../agent.ts';

const loaded = vi.hoisted(() => ({ sdk: 0, site: 0 }));
vi.mock('@modelcontextprotocol/server', (original) => {
  loaded.sdk += 1;
  return original();
});
vi.mock('../../../src/mcp/http/mcp-site.ts', (original) => {
  loaded.site += 1;
  return original();
});

test('[MC13] loads nothing before the first authenticated request to /mcp', async () => {
  const one = await HttpHub.open();
  const token = await one.member('reviewer');
  const bob = await one.hub.agent('bob');
  await bob.open('conversation', { participants: ['reviewer'], wait: 'created' });
  expect(loaded).toEqual({ sdk: 0, site: 0 });
  expect((await one.send('POST', '/mcp', '{}', {})).status).toBe(401);
  expect(loaded.sdk).toBe(0);
  await Agent.overHttp(one.port, token);
  expect(loaded).toEqual({ sdk: 1, site: 1 });
});
