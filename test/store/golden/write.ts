// Writes the golden data folder of a new format number. The old folders stay.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import { DATA_FORMAT } from '../../../src/store/maintenance/data-format.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { hubUnit } from '../../support/sample-records.ts';
import { AN_HOUR_LATER, fill, picture } from '../sample-store.ts';

const folder = join(import.meta.dirname, `format-${DATA_FORMAT}`);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const { store } = await openStore(folder, { segmentBytes: 8 * 1024 });
await store.setMeta('hub_id', 'golden');
await store.append(REGISTRY_LOG, null, hubUnit(REGISTRY_LOG, 1, 'agent.registered', { name: 'bob' })).outcome;
await fill(store, 4, 2);
await store.archive({ endedBefore: AN_HOUR_LATER });
await fill(store, 2, 2, 'later');
await writeFile(`${folder}.json`, `${JSON.stringify(await picture(store), null, 1)}\n`);
await store.close();
await rm(join(folder, 'index'), { recursive: true });
await rm(join(folder, 'lock'));
await rm(join(folder, 'index-state.json'));
