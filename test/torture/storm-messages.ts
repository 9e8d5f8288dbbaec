/** What a storm and its process of clients say to each other. */

export interface StormPlan {
  readonly clients: number;
  /** Where the storm hits. */
  readonly url: string;
  readonly directUrl: string;
}

export interface StormCount {
  readonly away: number;
  readonly closed: number;
  /** Posts that were asked for, and that were answered. */
  readonly asked: number;
  readonly posted: number;
  readonly heard: number;
  /** Streams in which something is missing, doubled or out of order. */
  readonly incomplete: number;
  /** Streams in which what came is not the beginning of what was said. */
  readonly wrong: number;
}

export type ToStorm = { readonly kind: 'post' } | { readonly kind: 'count' };
export type FromStorm = { readonly kind: 'prepared' } | { readonly kind: 'count'; readonly count: StormCount };
