/** Shared by the tests of the lifecycle. */

import type { World } from '../../../src/testing/doubles/world.ts';
import { lines, logOf } from '../scene.ts';

export function lastLine(world: World, id: string): string | undefined {
  return lines(logOf(world.store, id)).at(-1);
}
