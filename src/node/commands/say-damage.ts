/** Damage of a data folder in a line: which file, where in it, and what it belonged to. */

import type { DamagedPlace } from '../store/set-aside.ts';

const NAMES: Readonly<Record<string, string>> = {
  audit: 'the audit log',
  cursors: 'how far agents have read',
  meta: 'named values of the hub',
  hub: 'the list of identities',
  store: 'what was repaired or restored',
  moved: 'where logs were moved to',
};

export function sayDamage({ file, begin, end, logs, others }: DamagedPlace): string {
  const whose = [...logs.map((log) => NAMES[log] ?? log), ...(others ? ['what has lost its name'] : [])];
  const where =
    begin === end ? `journal/${file} from byte ${begin} on is gone` : `journal/${file}, bytes ${begin} to ${end}`;
  return `${where}: ${whose.join(', ') || 'a mark'}`;
}
