/** Writes a file and appends a line, and says when each is done; traced by synced.test.ts. */

import { join } from 'node:path';
import { appendLine } from '../../../src/governed/hooks/phase-record.ts';
import { writeFileAtomic } from '../../../src/system/atomic-file.ts';

const [folder = ''] = process.argv.slice(2);
await writeFileAtomic(join(folder, 'state.json'), '{"whole":true}');
process.stdout.write('written\n');
await appendLine(join(folder, 'hook-audit.jsonl'), { line: 1 });
process.stdout.write('appended\n');
