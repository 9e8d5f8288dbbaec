// The commands on a data folder: beside the hub that runs on it, and on a folder that is damaged.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHub } from '../../src/index.ts';
import { damageRecord } from '../store/damage-unit.ts';
import { CommandLine } from '../support/command-line.ts';
import { itDeep } from '../support/size.ts';

let line: CommandLine;
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  await line.json('inbox', '--as', 'bob');
  await line.json('open', 'conversation', '--to', 'bob', '--no-wait', '--as', 'alice');
});
afterAll(() => line.close());

describe('beside a hub that runs', () => {
  it('[CM16] backup is made by that hub, restores to the same, and needs nobody to stop', async () => {
    const target = join(line.folder, 'copy');
    expect(await line.json('backup', target)).toEqual([{ data: line.data, target, bytes: expect.any(Number) }]);
    const restored = join(line.folder, 'restored');
    await line.json('restore', target, '--data', restored);
    expect(await line.json('verify', '--data', restored)).toMatchObject([{ ok: true, problems: [] }]);
    const token = (folder: string) => readFile(join(folder, 'operator-token'), 'utf8');
    expect(await token(restored)).toBe(await token(line.data));
    expect(await line.json('sessions')).toHaveLength(1);
  });

  it('[CM16] runs verify and archive in the hub too, and reports its rejections', async () => {
    expect(await line.json('verify')).toMatchObject([{ data: line.data, ok: true, damages: [] }]);
    expect(await line.json('archive')).toMatchObject([{ sessions: 0 }]);
    const again = await line.here(['backup', join(line.folder, 'copy')]);
    expect(again).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/is not empty.*\nGive the path/) });
    expect((await line.here(['backup', join(line.data, 'x')])).code).toBe(2);
  });

  it.skipIf(process.platform !== 'linux')('[CM16] reports a system error of the hub as such', async () => {
    const { code, err } = await line.here(['backup', '/proc/parley']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/the hub could not: .*\n.*as its own user/) });
  });

  it('[CM9] repair changes what a hub may hold in memory, and is not done', async () => {
    const { code, out, err } = await line.here(['repair']);
    expect({ code, out }).toEqual({ code: 7, out: '' });
    expect(err).toMatch(/is in use by process \d+: it is open in .*\nStop that hub first/);
  });

  it('[CM9] a hub that cannot be asked is named, and what to do', async () => {
    const data = join(line.folder, 'own');
    const hub = await createHub({ data });
    const target = join(line.folder, 'no');
    const { code, err } = await line.here(['backup', target, '--data', data]);
    await hub.stop();
    expect({ code, err }).toEqual({
      code: 7,
      err: expect.stringMatching(/in use by process \d+.*\n.*hub\.backup\(\)/),
    });
    expect(existsSync(target)).toBe(false);
  });
});

describe('on a folder that is damaged', () => {
  it('[CM16] verify names a damaged audit record, repair sets it aside with a copy, and verify is content', async () => {
    await line.stopHub();
    expect(existsSync(join(line.data, 'control'))).toBe(false);
    const { position, bytes } = await damageRecord(line.data, ({ logId }) => logId === 'audit');
    const [from, to] = [position.offset, position.offset + bytes];
    const found = await line.here(['verify']);
    expect(found.code).toBe(8);
    expect(found.out).toContain(`1 problem\n  journal/00000001.journal, bytes ${from} to ${to}: the audit log\n`);
    const damage = { file: '00000001.journal', begin: from, end: to, logs: ['audit'], others: false };
    expect(JSON.parse((await line.here(['verify', '--json'])).out)).toMatchObject({ ok: false, damages: [damage] });
    const repaired = await line.here(['repair']);
    const copy = join(line.data, 'journal', `damaged-00000001-${from}-${to}.bytes`);
    expect(repaired).toMatchObject({ code: 0, err: '' });
    expect(repaired.out).toBe(
      `journal/00000001.journal, bytes ${from} to ${to}: the audit log: quarantined; a copy is in ${copy}\n`,
    );
    expect((await readFile(copy)).length).toBe(bytes);
    const after = await line.here(['verify']);
    expect(after).toMatchObject({
      code: 0,
      out: expect.stringMatching(/no problems\n.*quarantined by .* before: 1\n/),
    });
    expect(await line.here(['repair'])).toMatchObject({ code: 0, out: 'nothing is damaged\n' });
  });

  itDeep(
    '[CM16] an index that is given up on purpose, after something redacted was removed, is not told as trouble',
    async () => {
      await line.startHub();
      const bob = line.join('bob');
      await bob.says('session.opened');
      await line.json('send', 'last', 'my key is 0123456789', '--as', 'alice');
      const [shown] = await line.json('show', 'last');
      const { at_seq } = shown as { at_seq: number };
      const redacted = await line.here(['redact', 'last', String(at_seq)]);
      expect(redacted).toMatchObject({
        code: 0,
        err: expect.stringMatching(/on disk until .*"parley archive --ended-before 0s"/),
      });
      await line.json('close', 'last', '--as', 'alice');
      await bob.says('session.closed');
      await bob.end();
      expect(await line.json('archive', '--ended-before', '0s')).toMatchObject([{ sessions: 1 }]);
      await line.stopHub();
      expect(await line.here(['verify'])).toMatchObject({ code: 0, err: '' });
    },
  );
});
