/** `npm run docs`: records the golden frames, and writes the generated parts of docs/reference and of the client. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin, read, root, run } from '../package/repository.ts';
import { commandPage } from './command-page.ts';
import { keepGoldens } from './golden-book.ts';
import { recordedFrames } from './record.ts';
import { renderBlocks, WIRE_PAGES, withBlocks, withOperations, withRetrySafety } from './render.ts';

const RETRY_SAFETY = 'src/client/connection/retry-safety.ts';

const book = await recordedFrames();
keepGoldens(book);
const formatted = await run(process.execPath, [bin.biome, 'format', '--write', 'test/reference/golden']);
if (formatted.code !== 0) throw new Error(formatted.output);
for (const page of Object.keys(WIRE_PAGES)) {
  const path = `docs/reference/${page}`;
  writeFileSync(join(root, path), withBlocks(page, read(path), renderBlocks(book)));
}
writeFileSync(join(root, 'docs/reference/operations.md'), withOperations(read('docs/reference/operations.md')));
writeFileSync(join(root, RETRY_SAFETY), withRetrySafety(read(RETRY_SAFETY)));
writeFileSync(join(root, 'docs/reference/cli.md'), commandPage());
console.log(
  `docs/reference, ${RETRY_SAFETY} and ${book.files().size} golden frames in test/reference/golden are up to date; look at what changed`,
);
