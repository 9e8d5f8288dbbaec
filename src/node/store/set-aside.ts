/**
 * Sets damage aside that no log needs any more: it is copied into a file of its own, and from then on it is known and no
 * longer a problem. Records beside the logs (the audit) are mended so: what is damaged of them is missing, the rest is read.
 */

import type { Damage, Position } from '../../store/journal/journal-types.ts';
import { segmentName, withSegment } from '../journal/segments.ts';
import type { CareOptions, OpenParts } from '../../store/maintenance/maintenance-types.ts';
import { isFamily } from './lazy-records.ts';
import { verifyStore } from '../../store/maintenance/verify.ts';

/** A part of the journal, named for whoever looks for it. */
export interface DamagedPlace {
  /** The file in the folder `journal`, and the bytes in it. */
  readonly file: string;
  readonly begin: number;
  readonly end: number;
  /** Whose records they were: logs, or `audit`, `cursors`, `meta`. */
  readonly logs: readonly string[];
  /** Headers were lost too: there may have been others. */
  readonly others: boolean;
}

export interface SetAside extends DamagedPlace {
  /** The file in the folder `journal` that has these bytes; null = there are none, as of a file that is gone. */
  readonly copy: string | null;
}

const CHUNK_BYTES = 1024 * 1024;

export function placeOf({ from, to, logIds, unknown }: Damage): DamagedPlace {
  // Damage over several files is a part of the journal that is gone: it has no bytes.
  const end = to.segment === from.segment ? to.offset : from.offset;
  return { file: segmentName(from.segment), begin: from.offset, end, logs: logIds, others: unknown };
}

/** `isSome`: only some logs were to be repaired, so what lost its name may belong to another. */
export async function setDamageAside(
  parts: OpenParts,
  options: CareOptions & { readonly isSome?: boolean },
): Promise<readonly SetAside[]> {
  const { damages } = await verifyStore(parts, options);
  const isNeeded = (log: string): boolean => !isFamily(log) && parts.catalogue.record(log)?.damagedFrom != null;
  const settled = damages.filter(
    ({ logIds, unknown }) => !logIds.some(isNeeded) && !(unknown && options.isSome === true),
  );
  const aside: SetAside[] = [];
  for (const damage of settled) aside.push({ ...placeOf(damage), copy: await copyAside(parts, damage) });
  if (settled.length === 0) return [];
  const { audited } = parts.catalogue;
  const places = settled.map(({ from, to }) => ({ from, to }));
  await parts.perform({ operation: 'set_aside', at: parts.journal.end, places, audited });
  await parts.settle();
  return aside;
}

/** All of it lies within a part that was set aside. */
export function isAside(
  places: readonly { readonly from: Position; readonly to: Position }[],
  damage: Damage,
): boolean {
  return places.some(({ from, to }) => !isBefore(damage.from, from) && !isBefore(to, damage.to));
}

async function copyAside({ files }: OpenParts, { from, to }: Damage): Promise<string | null> {
  if (from.segment !== to.segment || from.offset === to.offset) return null;
  const name = `damaged-${segmentName(from.segment).replace('.journal', '')}-${from.offset}-${to.offset}.bytes`;
  // Copied before by one that was cut off.
  if ((await files.list()).includes(name)) await files.remove(name);
  const copy = await files.open(name, { create: true });
  try {
    await withSegment(files, from.segment, async (file) => {
      for (let at = from.offset; at < to.offset; at += CHUNK_BYTES) {
        const bytes = await file.read(at, Math.min(CHUNK_BYTES, to.offset - at));
        await copy.write(at - from.offset, [bytes]);
      }
    });
    await copy.sync();
  } finally {
    await copy.close();
  }
  await files.syncFolder();
  return name;
}

function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}
