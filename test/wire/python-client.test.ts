// The client that was written from the documents alone, in another language.

import { spawnSync } from 'node:child_process';
import { createHub } from 'parley-hub';
import { expect, it } from 'vitest';
import { required, run } from '../package/repository.ts';

const python = process.env.PARLEY_PYTHON ?? 'python3';
const hasPython = spawnSync(python, ['-c', 'import websockets']).status === 0;

it.skipIf(!hasPython && !required('python'))(
  `[PK6] examples/websocket/client.py asks a question and prints the answer${hasPython ? '' : ' (needs python3 with websockets)'}`,
  async () => {
    const hub = await createHub();
    const { url } = await hub.listen({ port: 0 });
    await hub.agent('bob', { onMessage: (message) => message.reply(`You asked: ${message.text}`) });
    const { token } = await hub.createToken({ grants: ['enrol'] });
    const { code, output } = await run(python, [
      'examples/websocket/client.py',
      url,
      token,
      'alice',
      'bob',
      'What is 2 + 2?',
    ]);
    await hub.stop();
    expect([code, output]).toEqual([0, 'bob says: You asked: What is 2 + 2?\n']);
  },
);
