/** Whether a hub serves a project, who holds its roles there, and whether it can be asked now. */

import { canBeReached } from '../../governed/serving/reach-hub.ts';
import { readServedNote } from '../../../governed/runner/served/served-note.ts';

export interface ServedBy {
  /** The hub's folder; null = it keeps nothing. */
  readonly data: string | null;
  readonly is_there: boolean;
  /** Names of participants, by role. */
  readonly roles: Readonly<Record<string, string>>;
}

/** null = no hub does. */
export async function servedBy(root: string): Promise<ServedBy | null> {
  const note = await readServedNote(root);
  if (note === null) return null;
  return { data: note.data, is_there: await canBeReached(note), roles: note.roles };
}

/** For whoever looks at how the run stands. */
export function servedLine({ is_there, roles }: ServedBy): string {
  if (!is_there) return 'the hub that serves it does not run';
  const held = Object.entries(roles).map(([role, name]) => `; ${role} is held by ${name}`);
  return `a hub serves it${held.join('')}`;
}
