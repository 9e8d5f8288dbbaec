/** Writes one file whole and one line to a book, and says when each is done: for who looks at its calls to the system. */

import { join } from 'node:path';
import { appendLine } from '../../../src/governed/hooks/phase-record.ts';
import { writeFileAtomic } from '../../../src/system/atomic-file.ts';

const [folder = ''] = process.argv.slice(2);
await writeFileAtomic(join(folder, 'state.json'), '{"whole":true}');
process.stdout.write('written\n');
await appendLine(join(folder, 'hook-audit.jsonl'), { line: 1 });
process.stdout.write('appended\n');
