/** What a torture and its processes say to each other. */

export interface MemberPlan {
  readonly name: string;
  readonly url: string;
  readonly journal: string;
  readonly seed: number;
  /** Posts it keeps in flight in one session. Over a way that loses whole messages only one keeps its order. */
  readonly depth: number;
}

export interface MembersPlan {
  readonly members: readonly MemberPlan[];
  /** Everyone there is, itself too. */
  readonly names: readonly string[];
  /** A mutant: takes whatever comes for new. */
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
  /** The largest since `mark`, looked at every 20 ms. */
  readonly peakRss: number;
  readonly peakHeap: number;
  /** The largest of the process, as the system saw it if it tells. */
  readonly maxRss: number;
}

export type ToHub = { readonly kind: 'memory' } | { readonly kind: 'mark' };
export type FromHub =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'memory'; readonly memory: Memory };
