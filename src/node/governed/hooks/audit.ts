/** What hooks did, line by line. A line that was torn by a crash is ended, not continued. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../../system/make-folder.ts';

export async function appendLine(path: string, record: unknown): Promise<void> {
  await makeFolder(dirname(path));
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last.toString() !== '\n';
    // One write: whoever reads along sees whole lines.
    await file.appendFile(`${isTorn ? '\n' : ''}${JSON.stringify(record)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
