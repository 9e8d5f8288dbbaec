/** Messages between a storm and its process of clients. */

export interface StormPlan {
  readonly clients: number;
  /** The port that the storm hits. */
  readonly url: string;
  readonly directUrl: string;
}

export interface StormCount {
  readonly away: number;
  readonly closed: number;
  /** Posts requested and posts answered. */
  readonly asked: number;
  readonly posted: number;
  readonly heard: number;
  /** Streams with missing, doubled or misordered deliveries. */
  readonly incomplete: number;
  /** Streams whose deliveries are not a prefix of the posts. */
  readonly wrong: number;
}

export type ToStorm = { readonly kind: 'post' } | { readonly kind: 'count' };
export type FromStorm = { readonly kind: 'prepared' } | { readonly kind: 'count'; readonly count: StormCount };
