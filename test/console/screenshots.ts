/** npm run screenshots: saves pictures of the console, light and dark, in docs/img. */

import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../package/repository.ts';
import { sampleSessions } from './sample-hub.ts';
import { consoleWorld, openConsole } from './support/console-world.ts';

const FOLDER = join(root, 'docs/img');
const MAX_BYTES = 150 * 1024;
const NAME = 'you';

const world = await consoleWorld();
try {
  await take();
} finally {
  await world.end();
}

async function take(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const token = await world.tokenFor(NAME, ['observe', 'operate', 'approve', 'enrol']);
  const context = { viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' } as const;
  const page = await openConsole(world, { name: NAME, token }, context);
  await page.waitForSelector('.me');
  const { workflow, write, governed } = await sampleSessions(world.hub, NAME, async (id) => {
    await page.evaluate(`location.hash = '#/sessions/${id}'`);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.waitForSelector('.composer');
  });
  const shots: readonly (readonly [name: string, to: string, ready: string])[] = [
    ['sessions', '#/sessions', '.rows .row >> text=An article on how logs are kept'],
    ['session', `#/sessions/${workflow}`, '.panel-graph svg'],
    ['governed', `#/sessions/${governed.id}`, '.run-notice >> text=waits for approval'],
    ['hub', '#/hub', '.tile'],
  ];
  for (const [name, to, ready] of shots) {
    await page.evaluate(`location.hash = ${JSON.stringify(to)}`);
    await page.waitForSelector(ready);
    if (name === 'session') {
      await write();
      await page.waitForSelector('.said-row.writing');
    }
    // Wait for background reads.
    await page.waitForFunction('document.fonts.status === "loaded"');
    await page.waitForTimeout(1500);
    for (const theme of ['light', 'dark'] as const) await shoot(page, name, theme);
  }
}

async function shoot(page: Page, name: string, theme: 'light' | 'dark'): Promise<void> {
  const path = join(FOLDER, `console-${name}${theme === 'dark' ? '-dark' : ''}.png`);
  await page.emulateMedia({ colorScheme: theme });
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${path.slice(root.length)}: ${Math.ceil(size / 1024)} KB`);
  if (size > MAX_BYTES) throw new Error(`${path}: expected at most ${MAX_BYTES} bytes, got ${size}`);
}
