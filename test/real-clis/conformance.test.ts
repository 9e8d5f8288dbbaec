// The server scenarios of the official MCP conformance suite against /mcp of a hub.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { sharedFolder } from '../support/temp-folder.ts';
import { bearerProxy } from './bearer-proxy.ts';
import { installed } from './installed-clis.ts';
import type { LocalServer } from './local-server.ts';

const run = promisify(execFile);

/** Scenarios that apply to every server. */
const APPLY = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'server-sse-polling',
  'dns-rebinding-protection',
] as const;

/** Scenarios for optional methods that this server lacks: it answers "method not found". */
const NOT_OFFERED = [
  'logging-set-level',
  'completion-complete',
  'resources-subscribe',
  'resources-unsubscribe',
] as const;

/** Scenarios for tools, resources and prompts of the suite's own server. */
const OF_THE_SUITE = [
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'tools-call-sampling',
  'tools-call-elicitation',
  'json-schema-2020-12',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
] as const;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

let line: CommandLine;
let proxy: LocalServer;
const folder = sharedFolder('conformance');
let suite: readonly [string, string];
const counts = new Map<string, number>();

beforeAll(async () => {
  suite = [await installed('node'), await installed('conformance')];
  line = await CommandLine.open();
  await line.startHub();
  const [made] = await line.json('token', 'create', '--name', 'tester');
  proxy = await bearerProxy({ port: Number(new URL(line.url).port), token: String(made?.token) });
});
afterAll(async () => {
  console.log(`checks: ${[...counts].map(([status, n]) => `${n} ${status}`).join(', ')}`);
  await proxy?.close();
  await line?.close();
});

it('covers all scenarios', async () => {
  const { stdout } = await run(suite[0], [suite[1], 'list', '--server']);
  const listed = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...APPLY, ...NOT_OFFERED, ...OF_THE_SUITE].sort());
});

it.each(APPLY)('%s', async (scenario) => {
  const checks = await checksOf(scenario);
  expect(checks).not.toEqual([]);
  expect(checks.filter(({ status }) => status === 'FAILURE')).toEqual([]);
});

it.each(NOT_OFFERED)('%s is not offered', async (scenario) => {
  const [check] = await checksOf(scenario);
  expect(check?.errorMessage).toContain('-32601');
});

it.each(OF_THE_SUITE)("%s is about the suite's own server", async (scenario) => {
  const problems = (await checksOf(scenario)).filter(({ status }) => status === 'FAILURE');
  expect(problems).not.toEqual([]);
  for (const { errorMessage } of problems) expect(errorMessage).toMatch(/not found|-3260\d/i);
});

/** Runs a scenario and returns its checks. */
async function checksOf(scenario: string): Promise<readonly Check[]> {
  const results = join(folder.path, scenario);
  const url = `http://localhost:${proxy.port}/mcp`;
  // Exit code 1 means a failed check; the file has the details.
  await run(suite[0], [suite[1], 'server', '--url', url, '--scenario', scenario, '--output-dir', results]).catch(
    () => {},
  );
  const found = (await readdir(results, { recursive: true })).find((path) => path.endsWith('checks.json'));
  const checks: readonly Check[] = found === undefined ? [] : JSON.parse(await readFile(join(results, found), 'utf8'));
  for (const { id, status, errorMessage = '' } of checks) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    console.log(`${scenario}  ${id}  ${status}  ${errorMessage.slice(0, 160)}`);
  }
  return checks;
}
