/** The participant behind the MCP tools: calls operations, watches for changes, and claims capabilities. */

import { jsonEqual } from '../../core/lib/json.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import type { Resume } from '../../core/records/identity/resume.ts';

export interface Participant {
  /** The caller's id; rejects if there is none, for example without a connection. */
  readonly agentId: Promise<string>;
  /** Calls any operation of the wire; rejects with a WireError. */
  call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>>;
  /** Watches one session, or all if null. Call `end` afterwards. */
  watch(sessionId: string | null): Watch;
  /** Records that the participant has seen the session up to this seq. */
  hasRead(sessionId: string, seq: number): void;
}

export interface Watch {
  /** Resolves after a change since the last call, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
  end(): void;
}

/** Thrown by a tool with a complete message for the model. */
export class Refusal extends Error {}

/** A watch that `ring()` wakes. A ring without a waiter ends the next wait immediately. */
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

/** Capabilities that an agent claims, so that others can find it. */
export interface Claim {
  /** Leave it empty to keep the claimed capabilities. */
  readonly capabilities: readonly string[];
  readonly summary: string | undefined;
}

export function isClaim({ capabilities, summary }: Claim): boolean {
  return capabilities.length > 0 || summary !== undefined;
}

export function hasClaimed(known: Pick<Resume, 'claimed_capabilities' | 'summary'>, claim: Claim): boolean {
  const { capabilities, summary } = claim;
  const isSame = capabilities.length === 0 || jsonEqual(known.claimed_capabilities, capabilities);
  return isSame && (summary === undefined || summary === known.summary);
}

/** Absent members stay unchanged. */
export function claimParams({ capabilities, summary }: Claim): Params<'set_resume'> {
  return { claimed_capabilities: capabilities.length === 0 ? undefined : capabilities, summary };
}
