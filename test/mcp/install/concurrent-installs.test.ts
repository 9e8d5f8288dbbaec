// Two concurrent installs into one file: a reported success is real.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonConfig } from '../../../src/mcp/install/json-config.ts';
import { root } from '../../package/repository.ts';
import { itDeep, runs } from '../../support/size.ts';
import { Workshop } from './workshop.ts';

const ROUNDS = runs(15, 4);

describe('two concurrent installs', () => {
  const racers: { ask(root: string): Promise<string>; end(): void }[] = [];
  let shop: Workshop;
  beforeAll(async () => {
    shop = await Workshop.keep();
    racers.push(racer('one'), racer('two'));
  });
  afterAll(async () => {
    for (const one of racers) one.end();
    await shop.close();
  });

  itDeep('[MI3] both succeed or one is refused, and leave nothing else beside the file', async () => {
    const file = shop.file('cursor');
    for (let i = 0; i < ROUNDS; i++) {
      await shop.write(file, `{"round": ${i}}\n`);
      const said = await Promise.all(racers.map((one) => one.ask(shop.root)));
      for (const word of said) expect(word).toMatch(/^(done|config_changed)$/);
      const there = Object.keys(jsonConfig.read(await shop.read(file), ['mcpServers']) ?? {}).sort();
      expect(there).toEqual(['one', 'two'].filter((_, at) => said[at] === 'done'));
      expect((await shop.files()).filter((one) => /lock|new-/.test(one))).toEqual([]);
    }
  });

  it('[MI3] ignore the lock of a killed process', async () => {
    const file = shop.file('cursor');
    await shop.write(file, '{}');
    // No process has this id.
    await shop.write(`${file}.parley-lock`, '4194305');
    await shop.run('cursor', { yes: true });
    expect(await shop.files()).not.toContain(`${file}.parley-lock`);
    await shop.write(`${file}.parley-lock`, `${process.pid}`);
    expect(await shop.refusal('cursor', { yes: true, undo: true })).toMatchObject({ code: 'config_busy' });
    expect(await shop.read(file)).toContain('parley');
  });
});

function racer(entry: string) {
  const script = 'test/mcp/install/racer.ts';
  const child = spawn(process.execPath, ['--conditions=parley-source', '--import', 'tsx', script, entry], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(at: string): Promise<string> {
      child.stdin.write(`${at}\n`);
      return String((await lines.next()).value);
    },
    end: () => void child.stdin.end(),
  };
}
