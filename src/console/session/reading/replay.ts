/** Replays a session: reads the state and the log at a seq, optionally as one participant saw them. */

import { callRead, reasonOf } from '../../connection/read-operations.ts';
import { store } from '../../state/console-state.ts';
import { EMPTY_LOG, readBack } from '../../state/session/log-window.ts';
import type { Replay } from '../../state/session/open-session.ts';
import { change, readLog } from './live-session.ts';

const PAGE = 200;
let reads = 0;

/** Shows the session at `atSeq`; null for the newest seq. A later call replaces an earlier one. */
export function showAt(id: string, atSeq: number | null, as: string | null): void {
  if (atSeq === null && as === null)
    return change(id, (open) => (open.replay === null ? open : { ...open, replay: null }));
  const open = store.get().session;
  const head = Math.max(open?.log.headSeq ?? 1, open?.now?.head_seq ?? 1, 1);
  const seq = Math.min(atSeq ?? head, head);
  change(id, ({ replay, ...rest }) => ({
    ...rest,
    replay: {
      atSeq: seq,
      as,
      state: replay?.state ?? null,
      log: replay?.log ?? EMPTY_LOG,
      view: replay?.as === as ? (replay?.view ?? null) : null,
      refusal: null,
    },
  }));
  void read(id, seq, as);
}

async function read(id: string, atSeq: number, as: string | null): Promise<void> {
  reads += 1;
  const mine = reads;
  const set = (part: Partial<Replay>): void =>
    change(id, (open) =>
      mine === reads && open.replay !== null ? { ...open, replay: { ...open.replay, ...part } } : open,
    );
  try {
    const at = { session_id: id, at_seq: atSeq };
    const [state, page, view] = await Promise.all([
      callRead('read_state', { ...at, ...(as === null ? {} : { participant: as }) }),
      readLog({ session_id: id, from_seq: atSeq, reverse: true, limit: PAGE }),
      as === null ? null : callRead('read_view', { ...at, participant: as }),
    ]);
    set({ state, log: readBack(page, true), view: view?.messages ?? null });
  } catch (thrown) {
    set({ refusal: reasonOf(thrown) });
  }
}
