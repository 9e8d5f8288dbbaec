// One hub per data folder: a second is rejected, and the lock ends with its process.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHub } from '../../src/server/create-hub.ts';
import { openStore } from '../../src/store/open-store.ts';
import { text } from '../hub/scene.ts';
import { HubProcess } from '../server/processes/hub-process.ts';
import { type BuiltScript, builtScript } from '../support/built-script.ts';

const segmentBytes = 256 * 1024;

let script: BuiltScript;
let root: string;
let folder: string;
let folders = 0;

beforeAll(async () => {
  script = await builtScript('test/server/processes/hub-child.ts');
  root = await mkdtemp(join(tmpdir(), 'parley-second-'));
});

beforeEach(() => {
  folders += 1;
  folder = join(root, `data-${folders}`);
});

afterAll(async () => {
  await HubProcess.endAll();
  await rm(root, { recursive: true });
  await script.remove();
});

describe('a second hub on a data folder', () => {
  it('[DS7] in another process is rejected with folder and pid, and the first is unharmed', async () => {
    const first = new HubProcess(script.path);
    await first.open(folder);
    const { alice, id } = await aSession(first);
    const before = await alice.call('post', text(id, 'before'));
    const second = new HubProcess(script.path);
    expect(await second.tryOpen(folder)).toEqual(inUse(first.pid));
    await expect(createHub({ data: folder })).rejects.toMatchObject({ code: 'data_in_use' });
    const after = await alice.call('post', text(id, 'after'));
    expect(after.seq).toBe(before.seq + 1);
    // A rejected hub does not release the lock when it ends.
    await second.kill();
    const third = new HubProcess(script.path);
    expect(await third.tryOpen(folder)).toEqual(inUse(first.pid));
    const { envelopes } = await alice.call('read_log', { session_id: id });
    expect(envelopes.slice(-2).map(({ seq }) => seq)).toEqual([before.seq, after.seq]);
  });

  it('[DS7] in the same process is rejected, and may open once the first has closed', async () => {
    const first = await openStore(folder, { segmentBytes });
    await expect(openStore(folder, { segmentBytes })).rejects.toMatchObject({
      name: 'HubError',
      code: 'data_in_use',
      message: expect.stringContaining(`${folder} is in use by process ${process.pid}`),
    });
    await first.store.setMeta('unharmed', true);
    await first.store.close();
    const second = await openStore(folder, { segmentBytes });
    expect(await second.store.getMeta('unharmed')).toBe(true);
    await second.store.close();
  });

  it('[DS7] opens immediately after the first was killed, with everything answered', async () => {
    const first = new HubProcess(script.path);
    await first.open(folder);
    const { alice, id } = await aSession(first);
    const said = await alice.call('post', text(id, 'kept'));
    await first.kill();
    const second = new HubProcess(script.path);
    expect(await second.tryOpen(folder)).toEqual({ kind: 'opened' });
    const again = await second.peer('alice');
    const { envelopes } = await again.call('read_log', { session_id: id });
    expect(envelopes.at(-1)).toMatchObject({ seq: said.seq, envelope_id: said.envelope_id });
  });
});

function inUse(pid: number) {
  const message = expect.stringContaining(`${folder} is in use by process ${pid};`);
  return { kind: 'refused', code: 'data_in_use', message };
}

async function aSession(hub: HubProcess) {
  const [alice, bob] = [await hub.peer('alice'), await hub.peer('bob')];
  const params = { type: 'conversation', participants: [bob.agentId], wait: 'created' } as const;
  const { session } = await alice.call('create_session', params);
  await bob.call('ack_invite', { session_id: session.session_id });
  return { alice, id: session.session_id };
}
