/** What the edge knows of a connection, and what it wants to hear of it. */

export interface Peer {
  /** Where it comes from; null = inside this process. */
  readonly address: string | null;
  /** Somebody was bound on it for the first time. */
  bound(): void;
  /** A hello was refused. True = it was one too many, and the connection ends. */
  helloFailed(): boolean;
}

/** A link inside this process needs no watching. */
export const INSIDE: Peer = { address: null, bound() {}, helloFailed: () => false };
