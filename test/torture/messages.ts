/** Messages between a torture run and its processes. */

export interface MemberPlan {
  readonly name: string;
  readonly url: string;
  readonly journal: string;
  readonly seed: number;
  /** Posts in flight in one session. Over a link that loses whole messages, only one keeps its order. */
  readonly depth: number;
}

export interface MembersPlan {
  readonly members: readonly MemberPlan[];
  /** All members, including itself. */
  readonly names: readonly string[];
  /** A mutant: treats every delivery as new. */
  readonly forgets: boolean;
}

export type ToMembers = { readonly kind: 'finish' } | { readonly kind: 'leave' };
export type FromMembers =
  | { readonly kind: 'moved' }
  | { readonly kind: 'finished' }
  /** A client ended though nobody closed it. */
  | { readonly kind: 'ended'; readonly why: string };

export interface HubPlan {
  readonly folder: string;
  readonly port: number;
}

export interface Memory {
  readonly rss: number;
  readonly heap: number;
  /** The largest since `mark`, sampled every 20 ms. */
  readonly peakRss: number;
  readonly peakHeap: number;
  /** The peak of the process, if the system reports it. */
  readonly maxRss: number;
}

export type ToHub = { readonly kind: 'memory' } | { readonly kind: 'mark' };
export type FromHub =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'memory'; readonly memory: Memory };
