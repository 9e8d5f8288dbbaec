// The real CLIs read what `parley mcp install` writes.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { RealAgent } from './real-agent.ts';
import { AGENTS } from './recipes.ts';

let line: CommandLine;
const agents: RealAgent[] = [];
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
});
afterAll(async () => {
  for (const agent of agents) await agent.close();
  await line?.close();
});

/** Codex only lists the entry; the others start the server. */
const LISTED = {
  claude: /parley: .*Connected/,
  codex: /parley .*enabled/,
  gemini: /parley: .*Connected/,
  opencode: /✓ parley .*connected/,
};

it.each(AGENTS)('%s finds the server in its configuration, which --undo restores', async (name) => {
  const agent = await RealAgent.open(name, 'http://127.0.0.1:9');
  agents.push(agent);
  await agent.setUp(line);
  const { out, err } = await agent.run(['mcp', 'list'], '');
  console.log(`${name} ${(await agent.version()).out.trim()}: ${LISTED[name].exec(out + err)?.[0].slice(0, 60)} …`);
  expect(out + err).toMatch(LISTED[name]);
  await agent.takeDown(line);
  const after = await agent.run(['mcp', 'list'], '');
  expect(after.out + after.err).not.toContain('parley-script');
  for (const [path, text] of Object.entries(agent.recipe.files)) {
    expect(await readFile(join(agent.home, path), 'utf8')).toBe(text);
  }
});
