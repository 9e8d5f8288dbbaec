/** Where a list goes on. The hub's own mark means something to its store alone: with the list's name before it, made-up ones are told. */

import { Refusal } from '../../mcp/server/refusal-text.ts';

type List = 'sessions' | 'peers';

export function listCursor(list: List, next: string | null): string | null {
  return next === null ? null : `${list}:${next}`;
}

export function parseListCursor(list: List, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const prefix = `${list}:`;
  if (text.startsWith(prefix) && text.length > prefix.length) return text.slice(prefix.length);
  throw new Refusal(
    `cursor: expected one that an earlier call of ${list} gave back, got ${JSON.stringify(text.slice(0, 40))}. Leave it out to begin at the start.`,
  );
}
