// The client that was written from the documents alone, in another language.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub } from 'parley-hub';
import { expect, it } from 'vitest';
import { required, run } from '../../package/repository.ts';
import { python, whyNoPython } from './python.ts';

it.skipIf(python === null && !required('python'))(
  `[PK6] examples/websocket/client.py joins, answers and acks, again and again${whyNoPython}`,
  async () => {
    if (python === null) throw new Error('PARLEY_REQUIRE asks for python3 with websockets');
    const data = mkdtempSync(join(tmpdir(), 'parley-python-'));
    const hub = await createHub();
    const { url } = await hub.listen({ port: 0 });
    const { token } = await hub.createToken({ grants: ['enrol'] });
    writeFileSync(join(data, 'operator-token'), `${token}\n`);
    const env = { ...process.env, PARLEY_URL: url, PARLEY_DATA: data };
    const command: string = python;
    const answer = () => run(command, ['examples/websocket/client.py'], { env });
    const ann = await hub.agent('ann');
    for (const question of ['What is 2 + 2?', 'And 3 + 3?']) {
      const bela = answer();
      await expect.poll(() => hub.health().bound, { timeout: 20_000 }).toBe(2);
      const session = await ann.open('consulting', ['bela']);
      await session.send(question);
      expect((await session.waitFor('msg.text')).event_data).toEqual({ text: `You asked: ${question}` });
      expect(await session.ended()).toMatchObject({ state: 'CLOSED' });
      expect(await bela).toEqual({
        code: 0,
        output: expect.stringMatching(/^bela is here; ask: npx parley open .+\n$/),
      });
    }
    ann.close();
    await expect.poll(() => hub.health()).toMatchObject({ bound: 0, sessions: { live: 0 } });
    await hub.stop();
    // Nobody is there any more; then nobody has ever been; then the package is missing.
    const lines = [await answer()];
    rmSync(data, { recursive: true });
    lines.push(await answer(), await run(command, ['-S', 'examples/websocket/client.py'], { env }));
    expect(lines).toEqual([
      { code: 1, output: expect.stringMatching(/^no hub at ws:.*is `npm start` running\? \(.*\)\n$/) },
      { code: 1, output: expect.stringMatching(/^no hub at ws:.* with its token in .*\n$/) },
      { code: 1, output: 'this needs the package websockets: pip install websockets\n' },
    ]);
  },
);
