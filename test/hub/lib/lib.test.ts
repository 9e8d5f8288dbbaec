import { expect, it } from 'vitest';
import { forEachLimit } from '../../../src/hub/lib/for-each-limit.ts';
import { VersionedRegistry } from '../../../src/hub/lib/versioned-registry.ts';

it('[TG9, VW14] the newest is the highest version, in whatever order they were registered', () => {
  const things = new VersionedRegistry<string>('thing', 'thing_exists');
  for (const version of [2, 10, 3]) things.register('a', version, `a${version}`);
  things.register('b', 1, 'b1');
  expect([things.newest('a'), things.newest('b'), things.newest('c')]).toEqual(['a10', 'b1', null]);
  expect([things.find('a', 2), things.find('a', 4), things.find('c', 1)]).toEqual(['a2', null, null]);
  expect([things.names, things.versionsOf('a')]).toEqual([
    ['a', 'b'],
    [2, 10, 3],
  ]);
  expect(() => things.register('a', 3, 'again')).toThrow(
    expect.objectContaining({ name: 'HubError', code: 'thing_exists' }),
  );
});

it('[RC1] a long list is worked through a few at a time, all of it', async () => {
  const seen: number[] = [];
  let underWay = 0;
  let most = 0;
  await forEachLimit(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    seen.push(item);
  });
  expect([seen.sort(), most]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3]);
});
