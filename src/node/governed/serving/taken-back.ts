/**
 * `.agentxchain/taken-back.json`: whose sessions the runs of this project have left. They are taken back while the hub is down,
 * so it hears of it when it serves the project again, and closes them.
 */

import { RUN_FOLDER } from '../../../governed/engine/dispatch/paths.ts';
import { isRecord } from '../../../governed/engine/lib/unknown-record.ts';
import type { LocalHub } from '../../../server/create-hub.ts';
import { placeIn } from '../safe-place.ts';
import { asText, readWhole, removeWhole, writeWhole } from '../whole-file.ts';
import type { ServedNote } from '../../../governed/runner/served/served-note.ts';

const FILE = `${RUN_FOLDER}/taken-back.json`;
/** Older ones are of hubs that nobody has gone back to. */
const MOST = 100;

export const LABEL = 'governed_root';
const REASON = 'taken_back';

type Left = Pick<ServedNote, 'served_id' | 'data'>;

/** Who runs a project in a hub. */
export function runnerOf(servedId: string): string {
  return `runner-${servedId.slice(0, 8)}`;
}

export async function noteTakenBack(root: string, { served_id, data }: ServedNote): Promise<void> {
  await writeLeft(root, [...(await readLeft(root)), { served_id, data }]);
}

/** Those of this hub; others wait for their own. */
export async function closeTakenBack(hub: LocalHub, root: string, data: string | null): Promise<void> {
  const left = await readLeft(root);
  const own = left.filter((one) => one.data === data);
  if (own.length === 0) return;
  for (const { served_id } of own) await closeSessions(hub, served_id);
  await writeLeft(
    root,
    left.filter((one) => one.data !== data),
  );
}

async function closeSessions(hub: LocalHub, servedId: string): Promise<void> {
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

/** What is no list has nothing to say: it is about tidiness alone. */
async function readLeft(root: string): Promise<readonly Left[]> {
  const text = await readWhole(await placeIn(root, FILE));
  const read: unknown = text === null ? [] : parsed(text);
  return Array.isArray(read) ? read.filter(isLeft) : [];
}

function isLeft(one: unknown): one is Left {
  return isRecord(one) && typeof one.served_id === 'string' && (one.data === null || typeof one.data === 'string');
}

async function writeLeft(root: string, left: readonly Left[]): Promise<void> {
  const place = await placeIn(root, FILE);
  await (left.length === 0 ? removeWhole(place) : writeWhole(place, asText(left.slice(-MOST))));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
