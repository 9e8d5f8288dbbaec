/** `npm run docs`: records the golden frames, and renders docs/reference/cli.md and the generated parts of docs/reference/wire.md, docs/reference/api.md and the client. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin, read, root, run } from '../package/repository.ts';
import { commandPage } from './command-page.ts';
import { keepGoldens } from './golden-book.ts';
import { recordedFrames } from './record.ts';
import { renderBlocks, withBlocks, withOperations, withRetrySafety } from './render.ts';

const RETRY_SAFETY = 'src/client/connection/retry-safety.ts';

const book = await recordedFrames();
keepGoldens(book);
const formatted = await run(process.execPath, [bin.biome, 'format', '--write', 'test/reference/golden']);
if (formatted.code !== 0) throw new Error(formatted.output);
writeFileSync(join(root, 'docs/reference/wire.md'), withBlocks(read('docs/reference/wire.md'), renderBlocks(book)));
writeFileSync(join(root, 'docs/reference/api.md'), withOperations(read('docs/reference/api.md')));
writeFileSync(join(root, RETRY_SAFETY), withRetrySafety(read(RETRY_SAFETY)));
writeFileSync(join(root, 'docs/reference/cli.md'), commandPage());
console.log(
  `docs/reference/wire.md, docs/reference/api.md, docs/reference/cli.md, ${RETRY_SAFETY} and ${book.files().size} golden frames in test/reference/golden are up to date; look at what changed`,
);
