/**
 * Changes several files atomically: writes a note of all changes, then applies them. After a crash, the next process
 * finishes the note and recognises lines that were already appended.
 */

import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asText, readFileOrNull, removeFile, writeFileAtomic } from '../../system/atomic-file.ts';
import { makeFolder, syncFolder } from '../../system/make-folder.ts';

export interface Changes {
  /** Lines to append, by file. At least one is required: it shows whether the commit was applied. */
  readonly appends: Readonly<Record<string, readonly unknown[]>>;
  /** Contents of the files to replace, by file. */
  readonly writes: Readonly<Record<string, unknown>>;
}

interface Commit {
  readonly token: number;
  readonly appends: Readonly<Record<string, { readonly at: number; readonly text: string }>>;
  readonly writes: Readonly<Record<string, string>>;
}

/** Step of a commit. `onStep` runs before each step; if it throws, the commit stops there. */
export type CommitStep = 'note' | 'append' | 'write' | 'clear';

interface CommitOptions {
  readonly token: number;
  readonly isHeld: () => Promise<boolean>;
  readonly onStep?: ((step: CommitStep, file: string) => void) | undefined;
}

const NOTE = 'commit.json';

/** Returns false if the lock was lost. Another process may have finished the note; applying it again is safe. */
export async function commit(folder: string, changes: Changes, options: CommitOptions): Promise<boolean> {
  const { token, isHeld, onStep } = options;
  const appends: Record<string, { at: number; text: string }> = {};
  for (const [name, lines] of Object.entries(changes.appends)) {
    if (lines.length === 0) continue;
    const before = (await readFileOrNull(join(folder, name))) ?? '';
    appends[name] = { at: Buffer.byteLength(before), text: lines.map((one) => `${JSON.stringify(one)}\n`).join('') };
  }
  const writes = Object.fromEntries(Object.entries(changes.writes).map(([name, value]) => [name, asText(value)]));
  onStep?.('note', NOTE);
  if (!(await isHeld())) return false;
  const noted: Commit = { token, appends, writes };
  await writeFileAtomic(join(folder, NOTE), asText(noted));
  return carryOut(folder, noted, options);
}

/** Finishes the commit of a crashed process, if there is one. Call it under the lock, before reading files. */
export async function finishCommit(folder: string, isHeld: () => Promise<boolean>): Promise<void> {
  const text = await readFileOrNull(join(folder, NOTE));
  if (text === null) return;
  const noted = JSON.parse(text) as Commit;
  if (await isStillTrue(folder, noted)) await carryOut(folder, noted, { isHeld });
  else await removeFile(join(folder, NOTE));
}

export async function forgetNote(note: string): Promise<void> {
  if ((await readFileOrNull(note)) !== null) await removeFile(note);
}

/** False if others have appended since the writer of the note lost the lock; the note is then dropped. */
async function isStillTrue(folder: string, { appends }: Commit): Promise<boolean> {
  for (const [name, { at, text }] of Object.entries(appends)) {
    const there = Buffer.from((await readFileOrNull(join(folder, name))) ?? '');
    const behind = there.subarray(at);
    if (there.length < at || !Buffer.from(text).subarray(0, behind.length).equals(behind)) return false;
  }
  return true;
}

/** Checks the lock before every step, because another process may take over and finish the commit. */
async function carryOut(
  folder: string,
  noted: Commit,
  { isHeld, onStep }: Pick<CommitOptions, 'isHeld' | 'onStep'>,
): Promise<boolean> {
  for (const [name, { at, text }] of Object.entries(noted.appends)) {
    onStep?.('append', name);
    if (!(await isHeld())) return false;
    await appendAt(join(folder, name), at, text);
  }
  for (const [name, text] of Object.entries(noted.writes)) {
    onStep?.('write', name);
    if (!(await isHeld())) return false;
    await writeFileAtomic(join(folder, name), text);
  }
  onStep?.('clear', NOTE);
  if (!(await isHeld())) return false;
  await removeFile(join(folder, NOTE));
  return true;
}

/** Writes at a fixed position, so that a partially written line is replaced. */
async function appendAt(file: string, at: number, text: string): Promise<void> {
  await makeFolder(dirname(file));
  const handle = await open(file, 'a+', 0o600).then(async (made) => {
    await made.close();
    return open(file, 'r+');
  });
  try {
    await handle.write(text, at);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
}
