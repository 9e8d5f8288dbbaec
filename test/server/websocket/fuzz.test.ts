// Ten thousand wrong frames; `npm run fuzz` sends ten times as many.

import { expect } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { openHub } from '../../support/started-hub.ts';
import { fuzz, logOf } from './fuzz.ts';

itDeep('[L8, RE1] wrong frames are answered with a typed error or a close, and change nobody’s log', async () => {
  const frames = Number(process.env.FRAMES ?? 10_000);
  const seed = Number(process.env.SEED ?? 7);
  const { hub, url } = await openHub();
  const [alice] = [await hub.agent('alice'), await hub.agent('bob')];
  const session = await alice.open('conversation', ['bob']);
  await session.send('hello');
  const before = await logOf(hub, 'alice', session.id);
  const result = await fuzz(url, session.id, frames, seed);
  expect(result.frames).toBe(frames);
  expect(result.wrong).toBeGreaterThan(frames / 2);
  expect(result.answered + result.closed).toBeGreaterThanOrEqual(result.wrong);
  expect(await logOf(hub, 'alice', session.id)).toEqual(before);
  expect(hub.health()).toMatchObject({ ready: true });
});
