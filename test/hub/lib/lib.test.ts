import { expect, it } from 'vitest';
import { forEachLimit } from '../../../src/hub/lib/for-each-limit.ts';
import { VersionedRegistry } from '../../../src/hub/lib/versioned-registry.ts';

it('[TG9, VW14] the newest version is the highest, in any order of registration', () => {
  const things = new VersionedRegistry<string>('thing', 'thing_exists');
  for (const version of [2, 10, 3]) things.add('a', version, `a${version}`);
  things.add('b', 1, 'b1');
  expect([things.newest('a'), things.newest('b'), things.newest('c')]).toEqual(['a10', 'b1', null]);
  expect([things.find('a', 2), things.find('a', 4), things.find('c', 1)]).toEqual(['a2', null, null]);
  expect([things.names, things.versionsOf('a')]).toEqual([
    ['a', 'b'],
    [2, 10, 3],
  ]);
  expect(() => things.add('a', 3, 'again')).toThrow(
    expect.objectContaining({ name: 'HubError', code: 'thing_exists' }),
  );
});

it('[RC1] works through a long list with limited concurrency', async () => {
  const seen: number[] = [];
  let running = 0;
  let most = 0;
  await forEachLimit(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    seen.push(item);
  });
  expect([seen.sort(), most]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3]);
});
