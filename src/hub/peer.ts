/** What the edge knows of a connection, and what it wants to hear of it. */

import type { Authenticate } from '../core/records/access/credentials.ts';

export interface Peer {
  /** Where it comes from; null = inside this process. */
  readonly address: string | null;
  /** Judges what a hello offers; null = it is trusted, and may speak for anyone. */
  readonly authenticate: Authenticate | null;
  /** How often the edge looks whether it is still there; absent = there is no need. */
  readonly pingMs?: number;
  /** Somebody was bound on it for the first time. */
  bound(): void;
  /** A hello proved nothing. True = it was one too many, and the connection ends. */
  helloFailed(): boolean;
}

/** A link inside this process needs no watching. */
export const INSIDE: Peer = { address: null, authenticate: null, bound() {}, helloFailed: () => false };
