/** What a tool is asked to delegate, and what it tells of what came of it. Pure. */

import type { DelegateAnswer, DelegateParams } from '../../core/records/work/delegation.ts';

/** A name; or `capability:review` for whoever offers that. */
export function delegateTarget(to: string): DelegateParams['target'] {
  const [, capability] = /^capability:\s*(.+)$/.exec(to) ?? [];
  return capability === undefined ? to : { capability };
}

export type Delegated =
  | { readonly status: 'waiting' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'answered'; readonly answer: string; readonly more?: true };

/** `more`: the answer is longer than that. */
export function delegatedOf({ outcome, reply, reason }: DelegateAnswer, mostChars: number): Delegated {
  if (outcome === 'open') return { status: 'waiting' };
  if (reply === null) return { status: 'failed', reason: reason ?? outcome };
  const isLong = reply.text.length > mostChars;
  return {
    status: 'answered',
    answer: isLong ? reply.text.slice(0, mostChars) : reply.text,
    ...(isLong ? { more: true as const } : {}),
  };
}
