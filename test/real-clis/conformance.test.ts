// The official conformance suite's server scenarios against /mcp of a hub.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { type BearerProxy, bearerProxy } from './bearer-proxy.ts';
import { installed } from './installed-clis.ts';

const run = promisify(execFile);

/** They ask for something every server has. */
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

/** They ask for what a server may offer, and this one does not: the answer to that is "method not found". */
const NOT_OFFERED = [
  'logging-set-level',
  'completion-complete',
  'resources-subscribe',
  'resources-unsubscribe',
] as const;

/** They ask for tools, resources and prompts of a server that is made for the suite; here there is no such thing. */
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
let proxy: BearerProxy;
let folder: string;
let suite: readonly [string, string];
const counts = new Map<string, number>();

beforeAll(async () => {
  suite = [await installed('node'), await installed('conformance')];
  folder = await mkdtemp(join(tmpdir(), 'parley-conformance-'));
  line = await CommandLine.open();
  await line.startHub();
  const [made] = await line.json('token', 'create', '--name', 'tester');
  proxy = await bearerProxy({ port: Number(new URL(line.url).port), token: String(made?.token) });
});
afterAll(async () => {
  console.log(`checks: ${[...counts].map(([status, n]) => `${n} ${status}`).join(', ')}`);
  await proxy?.close();
  await line?.close();
  await rm(folder, { recursive: true, force: true });
});

it('are all known', async () => {
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

/** Runs it, and tells what it found. */
async function checksOf(scenario: string): Promise<readonly Check[]> {
  const results = join(folder, scenario);
  const url = `http://localhost:${proxy.port}/mcp`;
  // It ends with 1 where something fails: what, is in the file.
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
