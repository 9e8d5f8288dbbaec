/** A journal on a disk, and its recovery. */

import type { Files } from '../../../src/store/journal/files.ts';
import { Journal, type JournalOptions, type Recovery } from '../../../src/store/journal/journal.ts';
import type { AppendResult, PlacedRecord } from '../../../src/store/journal/journal-types.ts';

export interface OpenedJournal {
  readonly journal: Journal;
  readonly recovery: Recovery;
  readonly records: readonly PlacedRecord[];
  readonly texts: readonly string[];
}

export const SMALL_SEGMENT = 600;

export async function openJournal(files: Files, options: JournalOptions = {}): Promise<OpenedJournal> {
  const records: PlacedRecord[] = [];
  const { journal, recovery } = await Journal.open(files, {
    segmentBytes: SMALL_SEGMENT,
    onRecord: (record) => {
      records.push(record);
    },
    ...options,
  });
  return { journal, recovery, records, texts: records.map(({ text }) => text) };
}

export async function confirmed(journal: Journal, ...texts: readonly string[]): Promise<readonly AppendResult[]> {
  const appended: AppendResult[] = [];
  for (const text of texts) {
    const one = journal.append('unit', logOf(text), text);
    appended.push(one);
    const outcome = await one.outcome;
    if (outcome.kind === 'failed') throw outcome.error;
  }
  return appended;
}

/** Several logs in turn, with both forms of id. */
export function logOf(text: string): string {
  const number = [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 3;
  return number === 0 ? 'hub' : String(number).repeat(32);
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** 'pending', or how it ended by now. */
export async function stateOf({ outcome }: AppendResult): Promise<string> {
  const ended = await Promise.race([outcome, Promise.resolve(null)]);
  return ended?.kind ?? 'pending';
}
