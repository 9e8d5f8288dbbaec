import { expect, it } from 'vitest';
import { ByVersion } from '../../../src/hub/by-version.ts';

it('[TG9, VW14] the newest is the highest version, in whatever order they were registered', () => {
  const things = new ByVersion<string>('thing', 'thing_exists');
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
