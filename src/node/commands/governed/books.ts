/** `parley run history` and `ledger`: what was accepted, and what was decided. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FOLDER } from '../../../governed/engine/dispatch/paths.ts';
import { isRecord, type Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { recordsIn } from '../../../governed/files/read-text.ts';
import { fromNow, writeColumns } from '../columns.ts';
import type { Asked } from '../../../cli/terminal/command.ts';
import { EXIT } from '../../../cli/terminal/exit-codes.ts';
import type { Io } from '../../../cli/terminal/io.ts';
import { projectOf, runOf } from '../../../cli/governed/project.ts';

interface Book {
  readonly file: string;
  readonly heads: readonly string[];
  readonly nothing: string;
  row(entry: Unknowns): readonly unknown[];
}

const HISTORY: Book = {
  file: 'history.jsonl',
  heads: ['#', 'turn', 'role', 'phase', 'status', 'verified', 'when', 'summary'],
  nothing: 'no turn was accepted yet',
  row: ({ accepted_sequence, turn_id, role, phase, status, verification, accepted_at, summary }) => {
    const verified = isRecord(verification) ? verification.status : '';
    return [accepted_sequence, turn_id, role, phase, status, verified, when(accepted_at), summary];
  },
};

const LEDGER: Book = {
  file: 'decision-ledger.jsonl',
  heads: ['decision', 'turn', 'role', 'phase', 'category', 'when', 'statement'],
  nothing: 'nothing was decided yet',
  row: ({ id, type, turn_id, role, phase, category, created_at, statement, decision }) => [
    id ?? type,
    turn_id,
    role,
    phase,
    category,
    when(created_at),
    statement ?? decision,
  ],
};

export function history(asked: Asked, io: Io): Promise<number> {
  return shown(HISTORY, asked, io);
}

export function ledger(asked: Asked, io: Io): Promise<number> {
  return shown(LEDGER, asked, io);
}

async function shown({ file, heads, nothing, row }: Book, asked: Asked, io: Io): Promise<number> {
  const project = await projectOf(asked);
  // Whoever looks at the run has its files put right first.
  await runOf(project);
  const text = await readFile(join(project.root, RUN_FOLDER, file), 'utf8').catch(absent);
  const entries = recordsIn(text);
  for (const entry of entries) io.put(entry);
  if (io.isJson) return EXIT.done;
  if (entries.length === 0) io.say(nothing);
  else
    writeColumns(
      io.terminal,
      heads,
      entries.map((entry) => row(entry).map((cell) => ({ text: String(cell ?? '') }))),
    );
  return EXIT.done;
}

function absent(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null;
  throw thrown;
}

function when(iso: unknown): string {
  return typeof iso === 'string' ? fromNow(iso, Date.now()) : '';
}
