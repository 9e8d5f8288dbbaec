/** `npm run docs`: records the golden frames anew, renders the generated parts of docs/wire.md, and all of docs/cli.md. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin, read, root, run } from '../package/repository.ts';
import { commandPage } from './command-page.ts';
import { keepGoldens } from './golden-book.ts';
import { recordedFrames } from './record.ts';
import { renderBlocks, withBlocks } from './render.ts';

const book = await recordedFrames();
keepGoldens(book);
const formatted = await run(process.execPath, [bin.biome, 'format', '--write', 'test/wire/golden']);
if (formatted.code !== 0) throw new Error(formatted.output);
writeFileSync(join(root, 'docs/wire.md'), withBlocks(read('docs/wire.md'), renderBlocks(book)));
writeFileSync(join(root, 'docs/cli.md'), commandPage());
console.log(
  `docs/wire.md, docs/cli.md and ${book.files().size} golden frames in test/wire/golden are up to date; look at what changed`,
);
