/** Keys under which sessions were created, per creator, for a day. */

import type { Head } from '../core/head.ts';
import { keyName } from '../core/keys.ts';
import { msFromIso } from '../core/time.ts';

export interface CreatedUnderKey {
  readonly session_id: string;
  readonly digest: string;
}

interface Remembered extends CreatedUnderKey {
  readonly untilMs: number;
}

export class CreateKeys {
  private readonly keepMs: number;
  /** In the order they were made, so the oldest are first. */
  private readonly keys = new Map<string, Remembered>();

  constructor(keepMs: number) {
    this.keepMs = keepMs;
  }

  find(creatorId: string, key: string, nowMs: number): CreatedUnderKey | undefined {
    const known = this.keys.get(keyName(creatorId, key));
    return known !== undefined && known.untilMs > nowMs ? known : undefined;
  }

  remember(creatorId: string, key: string, created: CreatedUnderKey, nowMs: number): void {
    this.keys.set(keyName(creatorId, key), { ...created, untilMs: nowMs + this.keepMs });
  }

  /** From the head of a session found at the start, in whatever order: of two under one key, the newer counts. */
  restore(head: Head): void {
    if (head.create_key === null) return;
    const createdMs = msFromIso(head.created_at);
    const known = this.keys.get(keyName(head.creator_id, head.create_key));
    if (known !== undefined && known.untilMs > createdMs + this.keepMs) return;
    const created = { session_id: head.session_id, digest: head.request_digest };
    this.remember(head.creator_id, head.create_key, created, createdMs);
  }

  forget(creatorId: string, key: string, sessionId: string): void {
    const name = keyName(creatorId, key);
    if (this.keys.get(name)?.session_id === sessionId) this.keys.delete(name);
  }

  expire(nowMs: number): void {
    for (const [name, { untilMs }] of this.keys) if (untilMs <= nowMs) this.keys.delete(name);
  }
}
