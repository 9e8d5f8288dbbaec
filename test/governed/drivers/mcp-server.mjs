// An MCP server of the official SDK with one tool that does turns. Its first argument selects the behaviour; with a second
// argument `http` it serves HTTP and prints its port.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [how = 'structured', where = 'stdio'] = process.argv.slice(2);
const anything = fromJsonSchema({ type: 'object' });

/** Writes what the tests inspect. */
const note = (value) => {
  if (process.env.NOTE) writeFileSync(process.env.NOTE, JSON.stringify(value));
};

if (how === 'deaf') process.on('SIGTERM', () => {});
if (how === 'deaf' || how === 'grandchild') {
  const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  const child = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  note([process.pid, child.pid]);
}
if (how === 'dies') process.exit(3);
if (how === 'mute') setInterval(() => {}, 1000);

function resultOf({ run_id, turn_id, role, runtime_id }) {
  const empty = { decisions: [], objections: [], files_changed: [] };
  return {
    ...{ schema_version: '1.0', run_id, turn_id, role, runtime_id, status: 'completed', summary: 'Lit.', ...empty },
    ...{ verification: { status: 'skipped' }, artifact: { type: 'workspace' }, proposed_next_role: 'human' },
  };
}

async function act(given, context) {
  if (how === 'structured' || how === 'grandchild') {
    if (how === 'structured') note({ given, env: process.env });
    const structuredContent = resultOf(given);
    return { content: [{ type: 'text', text: 'done' }], structuredContent };
  }
  if (how === 'text') return { content: [{ type: 'text', text: JSON.stringify(resultOf(given)) }] };
  if (how === 'words') return { content: [{ type: 'text', text: 'I have done it.' }] };
  if (how === 'error') return { isError: true, content: [{ type: 'text', text: `no oil, ${process.env.WICK}` }] };
  if (how === 'leaves') process.exit(5);
  if (how === 'progress' || how === 'endless') {
    for (let step = 1; how === 'endless' || step <= 24; step += 1) {
      await pause(250);
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: context.mcpReq._meta.progressToken, progress: step },
      });
    }
    return { content: [], structuredContent: resultOf(given) };
  }
  if (how === 'hangs') note('called');
  console.error(`waiting with ${process.env.WICK}`);
  return new Promise(() => setInterval(() => {}, 1000));
}

function server() {
  const made = new McpServer({ name: 'lamp', version: '1' });
  const name = how === 'other' ? 'trim_wick' : (process.env.TOOL ?? 'agentxchain_turn');
  made.registerTool(name, { description: 'does a turn', inputSchema: anything }, act);
  return made;
}

if (how !== 'mute' && where === 'stdio') serveStdio(server);
if (where === 'http') {
  const handler = createMcpHandler(server);
  createServer((request, response) => void answer(handler, request, response)).listen(0, '127.0.0.1', function () {
    console.log(this.address().port);
  });
}

async function answer(handler, request, response) {
  if (process.env.TOKEN && request.headers.authorization !== `Bearer ${process.env.TOKEN}`) {
    response.writeHead(401).end(`not with ${request.headers.authorization}`);
    return;
  }
  if (request.url === '/elsewhere') {
    response.writeHead(307, { location: '/mcp' }).end();
    return;
  }
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const url = `http://127.0.0.1${request.url}`;
  const { method, headers } = request;
  const answered = await handler.fetch(new Request(url, { method, headers, ...(body.length > 0 ? { body } : {}) }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  for await (const part of answered.body ?? []) response.write(part);
  response.end();
}
