/** One identity as the MCP tools see it: it asks for operations, hears that something happened, and is described by a claim. */

import { jsonEqual } from '../../core/lib/json.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import type { Resume } from '../../core/records/identity/resume.ts';

export interface Participant {
  /** Who asks. Refused with why, as a wire error, where nobody can be. */
  readonly agentId: Promise<string>;
  /** Any operation, as on the wire; refuses with a wire error. */
  call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>>;
  /** Watches for what may concern it: in one session, or in all. To be ended. */
  watch(sessionId: string | null): Watch;
  /** All of a session up to this seq was shown to it. */
  hasRead(sessionId: string, seq: number): void;
}

export interface Watch {
  /** Resolves when something has happened since the last time it resolved, or when the signal says so. */
  next(signal: AbortSignal): Promise<void>;
  end(): void;
}

/** Thrown by a tool that knows how to go on. */
export class Refusal extends Error {}

/** A watch that somebody rings. A ring while nobody waits is heard by the next wait. */
export class WakeSignal implements Watch {
  private rung = false;
  private heard: (() => void) | null = null;
  private readonly onEnd: (bell: WakeSignal) => void;

  constructor(onEnd: (bell: WakeSignal) => void) {
    this.onEnd = onEnd;
  }

  ring(): void {
    this.rung = true;
    this.heard?.();
  }

  async next(signal: AbortSignal): Promise<void> {
    if (!this.rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.heard = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.heard = null;
    this.rung = false;
  }

  end(): void {
    this.onEnd(this);
  }
}

/** What the operator of an agent says that it can do; others find it by that. */
export interface Claim {
  /** None = nothing is said of them. */
  readonly capabilities: readonly string[];
  readonly summary: string | undefined;
}

export function isClaim({ capabilities, summary }: Claim): boolean {
  return capabilities.length > 0 || summary !== undefined;
}

/** Nothing in it is news. */
export function hasClaimed(known: Pick<Resume, 'claimed_capabilities' | 'summary'>, claim: Claim): boolean {
  const { capabilities, summary } = claim;
  const isSame = capabilities.length === 0 || jsonEqual(known.claimed_capabilities, capabilities);
  return isSame && (summary === undefined || summary === known.summary);
}

/** What is not said stays as it was. */
export function claimParams({ capabilities, summary }: Claim): Params<'set_resume'> {
  return { claimed_capabilities: capabilities.length === 0 ? undefined : capabilities, summary };
}
