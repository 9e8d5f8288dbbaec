/**
 * Reads and writes `.agentxchain/served.json`, which names the hub that has the log of this project's runs. The file
 * stays while the hub is down, so that nobody continues from the project's own, older log.
 */

import { asText, readFileOrNull, removeFile, writeFileAtomic } from '../../../system/atomic-file.ts';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import { parseRecord } from '../../engine/lib/unknown-record.ts';
import { resolveInside } from '../../files/safe-path.ts';
import { RunnerRefusal } from '../contract/failure.ts';

const NOTE = `${RUN_FOLDER}/served.json`;

export interface ServedNote {
  /** Label value of this project's sessions in the hub. */
  readonly served_id: string;
  readonly socket: string;
  readonly pid: number;
  readonly host: string;
  /** The hub's data folder; null if the hub has no storage. */
  readonly data: string | null;
  /** Participants by the role they hold. */
  readonly roles: Readonly<Record<string, string>>;
}

/** Returns null if no hub serves the project. */
export async function readServedNote(root: string): Promise<ServedNote | null> {
  const text = await readFileOrNull(await resolveInside(root, NOTE));
  if (text === null) return null;
  const read = parseRecord(text);
  const isNote = read !== null && typeof read.served_id === 'string' && typeof read.socket === 'string';
  if (isNote) return { roles: {}, data: null, ...read } as unknown as ServedNote;
  throw new RunnerRefusal(
    'io_error',
    `${NOTE}: expected an object with served_id and socket, got ${text.slice(0, 80)}`,
  );
}

export async function writeServedNote(root: string, note: ServedNote): Promise<void> {
  await writeFileAtomic(await resolveInside(root, NOTE), asText(note));
}

export async function removeServedNote(root: string): Promise<void> {
  await removeFile(await resolveInside(root, NOTE));
}
