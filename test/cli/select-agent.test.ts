// `parley join` checks its agent before it connects or starts anything.

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ROLE, type RoleFile } from '../../src/cli/agent-options/role-file.ts';
import { selectAgent } from '../../src/cli/agent-options/select-agent.ts';
import type { CommandArgs } from '../../src/cli/terminal/command.ts';
import { CommandError } from '../../src/cli/terminal/command-error.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-chosen-'));
  await mkdir(join(folder, 'tools'));
  for (const name of ['claude', 'mine']) {
    await writeFile(join(folder, name), '#!/bin/sh\n');
    await chmod(join(folder, name), 0o755);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const choose = (values: CommandArgs['values'], role: RoleFile = NO_ROLE) =>
  selectAgent({ values, switches: new Set(), lists: {}, args: [] } as unknown as CommandArgs, role, { PATH: folder });

async function troubleOf(choosing: Promise<unknown>): Promise<CommandError> {
  const thrown = await choosing.then(
    () => 'it was taken',
    (error: unknown) => error,
  );
  if (!(thrown instanceof CommandError)) throw thrown;
  return thrown;
}

describe('[PA15] a command', () => {
  it('is a program in PATH, or one by its path', async () => {
    expect(await choose({ command: 'mine --fast' })).toMatchObject({ name: 'mine', provider: 'command' });
    expect(await choose({ command: join(folder, 'mine') })).toMatchObject({ name: 'mine' });
  });

  it('is no folder, in PATH or by its path', async () => {
    expect((await troubleOf(choose({ command: join(folder, 'tools') }))).message).toBe(
      `${join(folder, 'tools')}: no such program`,
    );
    expect((await troubleOf(choose({ command: 'tools' }))).message).toBe('tools: not found in PATH');
  });

  it.each(['', ' ', "''", '"" --fast', "' '"])('is not nothing: %o', async (command) => {
    const { message, code, hint } = await troubleOf(choose({ command }));
    expect(message).toBe(`--command: expected a command, such as "my-agent --fast", got "${command}"`);
    expect({ code, hint }).toEqual({ code: 'wrong_value', hint: '' });
  });
});

describe('[AC14, PA15] rejects a model that looks like an option, or is empty, naming its source', () => {
  it.each(['-x', ' --yolo', '', ' '])('after --model: %o', async (model) => {
    const expected = `--model: expected a model name that does not begin with "-", got "${model}"`;
    expect((await troubleOf(choose({ cli: 'claude', model }))).message).toBe(expected);
    expect((await troubleOf(choose({ command: 'mine {model}', model }))).message).toBe(expected);
  });

  it('in a role', async () => {
    const role = { ...NO_ROLE, cli: 'claude', model: '--yolo' };
    expect((await troubleOf(choose({}, role))).message).toBe(
      'model of the role: expected a model name that does not begin with "-", got "--yolo"',
    );
    expect(await choose({ model: 'good' }, role)).toMatchObject({ name: 'claude' });
  });
});
