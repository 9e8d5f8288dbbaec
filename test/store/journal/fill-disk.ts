/**
 * Appends to a journal in a folder until the disk fails, and reports what was confirmed. Run by a test with a file size
 * limit.
 */

import { Journal } from '../../../src/store/journal/journal.ts';
import type { Position } from '../../../src/store/journal/journal-types.ts';
import { realFiles } from '../../../src/store/journal/real-files.ts';

const [, , folder = ''] = process.argv;
const { journal } = await Journal.open(await realFiles(folder), { segmentBytes: 1024 * 1024 });
const confirmed: string[] = [];
let first: Position | null = null;
for (let number = 0; ; number++) {
  const text = `${number} ${'x'.repeat(2_000)}`;
  const { position, outcome } = journal.append('unit', 'hub', text);
  const ended = await outcome;
  first ??= position;
  if (ended.kind === 'durable') {
    confirmed.push(text);
    continue;
  }
  const { code, cause } = ended.error as Error & { code: string; cause: { code: string } };
  const later = (await journal.append('unit', 'hub', 'late').outcome).kind;
  const read = (await journal.read(first)).text;
  await journal.close();
  process.stdout.write(JSON.stringify({ confirmed, failed: { code, cause: cause.code, later, read } }));
  break;
}
