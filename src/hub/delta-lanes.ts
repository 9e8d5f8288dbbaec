/** What is remembered of partial texts: per sender and session the latest turns, whom they are for, and how much may still come. */

import type { DeltaFrame } from '../core/protocol/frames/frame-codec.ts';

/** Who hears a turn, as found when its session was at that seq. Nobody = it could not be said now. */
export interface Hearing {
  readonly headSeq: number;
  /** Rules and rates change without the session: by then it is asked again. */
  readonly untilMs: number;
  readonly agentIds: readonly string[];
  readonly isAllowed: boolean;
}

export interface Turn {
  /** As the first delta said. */
  readonly audience: readonly string[] | null;
  bytes: number;
  hearing: Hearing | null;
  /** What came while it is found out who hears it; null = that is known. */
  waiting: DeltaFrame[] | null;
}

/** What one sender shows in one session, whichever of its bindings it comes on. */
export interface Lane {
  /** The latest ones, by id: to go back to one begins nothing anew. */
  readonly turns: Map<string, Turn>;
  /** Bytes that may still come in this second. */
  left: number;
  atMs: number;
}

/** Turns that one sender writes at the same time in one session. */
const MOST_TURNS = 16;
/** Of all senders; the lane that began a turn the longest ago is forgotten first. */
const MOST_LANES = 4096;
/** Ids in all audiences that are remembered: a client says how long they are. */
const MOST_IDS = 100_000;

export class DeltaLanes {
  /** By session and sender. */
  private readonly lanes = new Map<string, Lane>();
  private ids = 0;

  /** `fresh` is where it begins if nothing is known of it. */
  find(agentId: string, delta: DeltaFrame, fresh: { readonly left: number; readonly atMs: number }): [Lane, Turn] {
    const key = `${delta.session_id}\n${agentId}`;
    const lane = this.lanes.get(key) ?? { turns: new Map<string, Turn>(), ...fresh };
    const known = lane.turns.get(delta.turn_id);
    if (known !== undefined) return [lane, known];
    const turn: Turn = { audience: delta.audience, bytes: 0, hearing: null, waiting: null };
    this.ids += idsOf(turn);
    lane.turns.set(delta.turn_id, turn);
    this.lanes.delete(key);
    this.lanes.set(key, lane);
    this.forgetSome(lane);
    return [lane, turn];
  }

  private forgetSome(latest: Lane): void {
    for (const [id, turn] of latest.turns) {
      if (latest.turns.size <= MOST_TURNS) break;
      latest.turns.delete(id);
      this.ids -= idsOf(turn);
    }
    for (const [key, lane] of this.lanes) {
      if (lane === latest || (this.lanes.size <= MOST_LANES && this.ids <= MOST_IDS)) return;
      this.lanes.delete(key);
      for (const turn of lane.turns.values()) this.ids -= idsOf(turn);
    }
  }
}

function idsOf({ audience }: Turn): number {
  return audience?.length ?? 0;
}
