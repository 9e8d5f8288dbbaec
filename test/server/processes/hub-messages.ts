/** What a test and the hub process it started say to each other. */

import type { Health } from '../../../src/core/protocol/operations/console-hub.ts';

export type ToChild =
  | {
      readonly kind: 'open';
      readonly folder: string;
      readonly segmentBytes: number;
      readonly exitOnStoreFailure: boolean;
    }
  /** A frame of one connection, which begins with its first. */
  | { readonly kind: 'frame'; readonly link: number; readonly text: string }
  | { readonly kind: 'health' }
  | { readonly kind: 'stop' };

export type FromChild =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'frame'; readonly link: number; readonly text: string }
  | { readonly kind: 'health'; readonly health: Health | null }
  | { readonly kind: 'storeFailed'; readonly message: string };
