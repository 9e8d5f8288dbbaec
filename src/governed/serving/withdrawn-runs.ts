/**
 * Keeps `.agentxchain/taken-back.json`: hub sessions that the runs of this project left while the hub was down.
 * The hub closes these sessions when it serves the project again.
 */

import { rename } from 'node:fs/promises';
import type { AgentClient, MessageHandler } from '../../client/index.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import { asText, readFileOrNull, removeFile, writeFileAtomic } from '../../system/atomic-file.ts';
import { RUN_FOLDER } from '../engine/dispatch/paths.ts';
import { isRecord, parseJson } from '../engine/lib/unknown-record.ts';
import { takeLock } from '../files/lock.ts';
import { resolveInside, statOrNull } from '../files/safe-path.ts';
import { orFailure, RunnerRefusal } from '../runner/contract/failure.ts';
import type { RunnerFailure } from '../runner/contract/types.ts';
import { runnerContext } from '../runner/log/runner-context.ts';
import { LOCK_FOLDER, LOG_FOLDER, rootOf } from '../runner/log/with-run.ts';
import { readServedNote, removeServedNote, type ServedNote } from '../runner/served/served-note.ts';

export interface ServingHub {
  agent(name: string, options?: { readonly onMessage?: MessageHandler }): Promise<AgentClient>;
  grant(agent: string, grants: readonly Grant[]): Promise<unknown>;
}

/** Withdraws the runs from a stopped hub. Keeps the project's earlier log next to the new one. */
export function withdrawRun(given: string): Promise<{ readonly ok: true } | RunnerFailure> {
  return orFailure(async () => {
    const root = await rootOf(given);
    const { clock, kept, ids } = runnerContext();
    const locked = await takeLock(await resolveInside(root, LOCK_FOLDER), { owner: kept.owner, clock, waitMs: 0 });
    if (!locked.ok) throw new RunnerRefusal('lock_timeout', `${locked.error}; stop the hub that serves it first`);
    try {
      const note = await readServedNote(root);
      if (note === null) throw new RunnerRefusal('not_served', `${root}: no hub serves its runs`);
      const log = await resolveInside(root, LOG_FOLDER);
      if ((await statOrNull(log)) !== null) await rename(log, `${log}-before-${ids.hex32().slice(0, 8)}`);
      await noteWithdrawn(root, note);
      await removeServedNote(root);
      return { ok: true };
    } finally {
      await locked.lock.release();
    }
  });
}

const FILE = `${RUN_FOLDER}/taken-back.json`;
/** Maximum number of entries; drops the oldest, whose hubs never returned. */
const MOST = 100;

export const LABEL = 'governed_root';
const REASON = 'taken_back';

type Left = Pick<ServedNote, 'served_id' | 'data'>;

export function runnerOf(servedId: string): string {
  return `runner-${servedId.slice(0, 8)}`;
}

async function noteWithdrawn(root: string, { served_id, data }: ServedNote): Promise<void> {
  await writeLeft(root, [...(await readLeft(root)), { served_id, data }]);
}

export async function closeWithdrawn(hub: ServingHub, root: string, data: string | null): Promise<void> {
  const left = await readLeft(root);
  const own = left.filter((one) => one.data === data);
  if (own.length === 0) return;
  for (const { served_id } of own) await closeSessions(hub, served_id);
  const others = left.filter((one) => one.data !== data);
  await writeLeft(root, others);
}

async function closeSessions(hub: ServingHub, servedId: string): Promise<void> {
  const runner = await hub.agent(runnerOf(servedId));
  try {
    const open: string[] = [];
    for await (const { session_id, labels, creator_id } of runner.sessions({ type: 'governed' })) {
      if (creator_id === runner.agentId && labels[LABEL] === servedId) open.push(session_id);
    }
    for (const id of open) {
      const session = runner.session(id);
      const { session: metadata } = await session.info();
      if (metadata.state === 'ACTIVE') await session.close(REASON);
    }
  } finally {
    runner.close();
  }
}

/** Ignores an unreadable file, because the file serves only cleanup. */
async function readLeft(root: string): Promise<readonly Left[]> {
  const text = await readFileOrNull(await resolveInside(root, FILE));
  const read = text === null ? [] : parseJson(text);
  return Array.isArray(read) ? read.filter(isLeft) : [];
}

function isLeft(one: unknown): one is Left {
  return isRecord(one) && typeof one.served_id === 'string' && (one.data === null || typeof one.data === 'string');
}

async function writeLeft(root: string, left: readonly Left[]): Promise<void> {
  const place = await resolveInside(root, FILE);
  await (left.length === 0 ? removeFile(place) : writeFileAtomic(place, asText(left.slice(-MOST))));
}
