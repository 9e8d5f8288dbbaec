/** Golden logs are kept as JSON beside the tests, one per (type, version); made once by `recordGolden`, never edited. */

import { readFileSync } from 'node:fs';
import type { GoldenLog } from 'parley-hub/testing';

export function readGolden(name: string): GoldenLog {
  return JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'));
}
