/** Who opens a session: whoever asked for it on a connection, or a schedule in the name of the one who made it. */

import { WireError } from '../core/lib/errors.ts';
import { Binding } from './bindings.ts';
import { notBound } from './caller.ts';
import type { HubParts } from './parts.ts';

/** The creator of a schedule, who need not be here when it runs. */
export interface Scheduler {
  readonly agentId: string;
  readonly name: string;
  /** Why it is no longer wanted; null = it is. */
  readonly refusal?: () => WireError | null;
}

export type Opener = Binding | Scheduler;

/** Asked in the step that writes: may it still? */
export function checkOpener({ bindings, registry }: HubParts, opener: Opener): void {
  if (opener instanceof Binding) {
    if (!bindings.mayAct(opener)) throw notBound(opener.name);
  } else if (registry.isGone(opener.agentId)) {
    throw new WireError('not_found', `${opener.name} is no longer registered`);
  } else {
    const refusal = opener.refusal?.() ?? null;
    if (refusal !== null) throw refusal;
  }
}
