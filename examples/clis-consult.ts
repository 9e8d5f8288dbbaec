/** Two programs consult: one asks and one answers. Each is started once per turn, as `claude` or `codex` would be. */

import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub } from 'parley-hub';
import { createCliAdapter, joinHub } from 'parley-hub/participants';

// Any program that reads a prompt from stdin and writes its answer to stdout can be an agent.
const folder = await mkdtemp(join(tmpdir(), 'parley-example-'));
async function program(name: string, shell: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\n${shell}\n`);
  await chmod(file, 0o755);
  return file;
}
const curious = await program('curious', 'cat > /dev/null; echo "What is the capital of France?"');
const atlas = await program(
  'atlas',
  'if grep -q France; then echo "Paris."; else echo "I do not know." >&2; exit 7; fi',
);

const hub = await createHub();
let onError: (error: Error) => void = () => {};
const failed = new Promise<Error>((resolve) => {
  onError = resolve;
});
const expert = await joinHub(await hub.agent('expert'), {
  agent: createCliAdapter({ command: atlas }),
  systemPrompt: 'You know where everything is.',
  handlers: { onError },
});
const asker = await joinHub(await hub.agent('asker'), {
  agent: createCliAdapter({ command: curious }),
  handlers: {
    onTurn: () => console.log('asker works on its turn'),
    onReply: ({ text }) => console.log('asker says:', text),
  },
});

const session = await asker.client.open('consulting', ['expert']);
await session.ended();
const said: string[] = [];
for await (const { event_type, event_data } of session.log()) {
  if (event_type === 'msg.text') said.push(String(event_data.text));
}
console.log(said.join(' — '));
assert.deepEqual(said, ['What is the capital of France?', 'Paris.']);

// A failing program posts nothing: the client reports the error.
const maria = await hub.agent('maria');
const other = await maria.open('consulting', ['expert']);
await other.send('Where is Atlantis?');
const error = await failed;
console.log('expert has no answer:', error.message);
assert.match(error.message, /^atlas: exitCode=7/);

await Promise.all([asker.close(), expert.close()]);
await hub.stop();
await rm(folder, { recursive: true });
