/** Golden logs are JSON files, one per (type, version), recorded once by `recordGolden` and never edited. */

import { readFileSync } from 'node:fs';
import type { GoldenLog } from 'parley-hub/testing';

export function readGolden(name: string): GoldenLog {
  return JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'));
}
