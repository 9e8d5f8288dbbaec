// A damaged log, or run files without a run: intact files are never overwritten.

import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createRunner } from 'parley-hub/governed';
import { expect, it } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { CONFIG, historyOf, project, turnDone } from '../serving/project.ts';

/** Changes a byte in the middle of the journal. */
function spoil(root: string): void {
  const folder = join(root, '.agentxchain/log/journal');
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.journal'));
  const bytes = readFileSync(join(folder, name));
  const used = bytes.findLastIndex((byte) => byte !== 0);
  const at = Math.floor(used / 2);
  const file = openSync(join(folder, name), 'r+');
  const was = Buffer.alloc(1);
  readSync(file, was, 0, 1, at);
  writeSync(file, Buffer.from([was[0] === 0x41 ? 0x42 : 0x41]), 0, 1, at);
  closeSync(file);
}

itDeep(
  '[GR5] reports a damaged log and keeps intact run files',
  async () => {
    const root = project();
    await createRunner().initRun(root, CONFIG);
    const turns = [await turnDone(root, 'captain'), await turnDone(root, 'captain'), await turnDone(root, 'captain')];
    spoil(root);
    const runner = createRunner();
    expect(await runner.loadState(root, CONFIG)).toMatchObject({ status: 'active' });
    expect(historyOf(root)).toEqual(turns);
    expect(await runner.assignTurn(root, CONFIG, 'captain')).toMatchObject({ ok: false });
    expect(historyOf(root)).toEqual(turns);
  },
  60_000,
);

it('[GR10] saves run files without a state before it writes a run', async () => {
  const root = project();
  mkdirSync(join(root, '.agentxchain'));
  const line = JSON.stringify({ turn_id: 'turn_old', run_id: 'run_old', summary: 'long ago' });
  writeFileSync(join(root, '.agentxchain/history.jsonl'), `${line}\n`);
  expect(await createRunner().initRun(root, CONFIG)).toMatchObject({ ok: true });
  await turnDone(root, 'captain');
  expect(readFileSync(join(root, '.agentxchain/imported/history.jsonl'), 'utf8')).toContain('long ago');
}, 60_000);
