/** Four agent CLIs discuss in rounds; stubs with the output formats of claude, codex, gemini and opencode stand in for them. */

import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub } from 'parley-hub';
import {
  createClaudeAdapter,
  createCodexAdapter,
  createGeminiAdapter,
  createOpencodeAdapter,
  joinHub,
} from 'parley-hub/participants';

/** Each stub counts its runs in a file, and prints the count in the format of its CLI. */
const FORMATS = {
  claude: (text: string) => [{ type: 'result', subtype: 'success', is_error: false, result: text, session_id: 'c1' }],
  codex: (text: string) => [
    { type: 'thread.started', thread_id: 't1' },
    { type: 'item.completed', item: { id: 'i1', type: 'agent_message', text } },
    { type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5 } },
  ],
  gemini: (text: string) => [
    { type: 'message', role: 'assistant', content: text },
    { type: 'result', status: 'success' },
  ],
  opencode: (text: string) => [
    { type: 'text', sessionID: 's1', part: { type: 'text', text } },
    { type: 'step_finish', sessionID: 's1', part: { reason: 'stop' } },
  ],
};
type Tool = keyof typeof FORMATS;
const TOOLS: readonly Tool[] = ['claude', 'codex', 'gemini', 'opencode'];

const folder = await mkdtemp(join(tmpdir(), 'parley-example-'));
async function standIn(tool: Tool): Promise<string> {
  const file = join(folder, tool);
  const lines = FORMATS[tool](`${tool} speaks for the RUN. time`).map((event) => JSON.stringify(event));
  const print = lines.map((line) => `printf '%s\\n' '${line}' | sed "s/RUN/$runs/"`);
  await writeFile(
    file,
    ['#!/bin/sh', 'cat > /dev/null', `echo >> '${file}.runs'`, `runs=$(wc -l < '${file}.runs')`, ...print].join('\n'),
  );
  await chmod(file, 0o755);
  return file;
}

// With the real CLIs installed, use `claudeAdapter`, `codexAdapter`, `geminiAdapter` and `opencodeAdapter`.
const agents = {
  claude: createClaudeAdapter({ command: await standIn('claude'), resume: false }),
  codex: createCodexAdapter({ command: await standIn('codex'), resume: false }),
  gemini: createGeminiAdapter({ command: await standIn('gemini'), resume: false }),
  opencode: createOpencodeAdapter({ command: await standIn('opencode'), resume: false }),
};

const hub = await createHub();
const joined = [];
for (const tool of TOOLS) {
  const participant = await joinHub(await hub.agent(tool), {
    agent: agents[tool],
    systemPrompt: `You are ${tool}. Be brief.`,
    handlers: { onReply: ({ text }) => console.log(`${tool}: ${text}`) },
  });
  joined.push(participant);
}

const [first] = joined;
assert.ok(first);
const others = TOOLS.slice(1);
const session = await first.client.open('discussion', { participants: others, knobs: { rounds: 2 } });
const { reason } = await session.ended();
console.log('it ends:', reason);
assert.equal(reason, 'rounds_complete');
const said: string[] = [];
for await (const { event_type, event_data } of session.log()) {
  if (event_type === 'msg.text') said.push(String(event_data.text));
}
assert.deepEqual(
  said,
  [1, 2].flatMap((round) => TOOLS.map((tool) => `${tool} speaks for the ${round}. time`)),
);

for (const participant of joined) await participant.close();
await hub.stop();
await rm(folder, { recursive: true });
