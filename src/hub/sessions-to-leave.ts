/** The live sessions an identity that goes must be taken out of. */

import type { Store } from '../core/ports/store.ts';
import { liveSessionsOf } from './log/read-pages.ts';

export async function* sessionsToLeave(store: Store, agentId: string): AsyncGenerator<string, void, undefined> {
  for await (const { head, damaged_from } of liveSessionsOf(store, agentId)) {
    const status = head.members[agentId];
    // Nothing can be written into a damaged one; after its repair the next start finds the identity retired.
    if (status !== 'removed' && status !== 'rejected' && damaged_from === null) yield head.session_id;
  }
}
