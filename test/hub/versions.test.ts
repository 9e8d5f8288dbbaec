import { expect, it } from 'vitest';
import { Versions } from '../../src/hub/versions.ts';

it('[ID1, ID6] only the newest durable version is kept, with those that are staged behind it', () => {
  const versions = new Versions<string>();
  expect([versions.newest, versions.at(9)]).toEqual([null, null]);
  versions.set(1, 'one', 0);
  versions.set(3, 'three', 0);
  expect([versions.at(0), versions.at(1), versions.at(2), versions.at(3)]).toEqual([null, 'one', 'one', 'three']);
  // By now both are durable: nobody asks for the first any more.
  versions.set(5, 'five', 3);
  expect([versions.at(2), versions.at(3), versions.at(5), versions.newest]).toEqual([null, 'three', 'five', 'five']);
  versions.forgetAfter(3);
  expect([versions.at(9), versions.newest]).toEqual(['three', 'three']);
});
