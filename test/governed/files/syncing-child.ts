/** Writes one file whole and one line to a book, and says when each is done: for who looks at its calls to the system. */

import { join } from 'node:path';
import { appendLine } from '../../../src/node/governed/hooks/audit.ts';
import { writeWhole } from '../../../src/node/governed/whole-file.ts';

const [folder = ''] = process.argv.slice(2);
await writeWhole(join(folder, 'state.json'), '{"whole":true}');
process.stdout.write('written\n');
await appendLine(join(folder, 'hook-audit.jsonl'), { line: 1 });
process.stdout.write('appended\n');
