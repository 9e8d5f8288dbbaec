/**
 * Defines the keys of the index: a letter for the family, then the parts. Keys are ASCII, so that the order of strings
 * and of bytes is the same. Numbers have leading zeros.
 *
 *     s log                     the record of a log: its seq, epoch, head and damage
 *     u log seq                 positions of units, in runs keyed by their first seq
 *     o order                   sessions by creation
 *     l session                 sessions that have not ended, with the data a start needs
 *     c parent session          children that have not ended
 *     p agent order             sessions of a participant; q: only those that have not ended
 *     e agent ended order       ended sessions of a participant, by time
 *     f ended session           sessions that have ended and are not archived, by time
 *     d log                     logs that are damaged
 *     k digest                  the newest session created with a create key
 *     r agent session           cursors
 *     n session                 snapshots
 *     a number                  positions of audit records
 *     m key                     small values stored by the hub
 *     z checkpoint              how much of the journal the index covers
 */

import { digestText } from '../../core/records/session/keys.ts';
import type { Position } from '../journal/journal-types.ts';

const SEPARATOR = '\n';
/** Sorts after every key that continues with the separator. */
const BEHIND = '\u000b';
const NOT_ASCII = /[^\x20-\x7e]|%/g;
const ESCAPED = /%(\d{5})/g;

export const CHECKPOINT_KEY: string = key('z', 'checkpoint');

export const logKey = (logId: string): string => key('s', logId);
export const unitsKey = (logId: string, seq: number): string => key('u', logId, padded(seq, 10));
export const damagedKey = (logId: string): string => key('d', logId);
export const orderKey = (order: string): string => key('o', order);
export const liveKey = (sessionId: string): string => key('l', sessionId);
export const childKey = (parentId: string, sessionId: string): string => key('c', parentId, sessionId);
export const participantKey = (agentId: string, order: string): string => key('p', agentId, order);
export const liveParticipantKey = (agentId: string, order: string): string => key('q', agentId, order);
export const endedKey = (agentId: string, endedMs: number, order: string): string =>
  key('e', agentId, padded(endedMs, 15), order);
export const unarchivedKey = (endedMs: number, sessionId: string): string => key('f', padded(endedMs, 15), sessionId);
export const createKey = (creatorId: string, name: string): string => key('k', digestText(`${creatorId}\n${name}`));
export const cursorKey = (agentId: string, sessionId: string): string => key('r', agentId, sessionId);
export const snapshotKey = (sessionId: string): string => key('n', sessionId);
export const auditKey = (number: number): string => key('a', padded(number, 15));
export const metaKey = (name: string): string => key('m', name);

/** The range of keys that start with these parts and have further parts. */
export function under(...parts: readonly string[]): { readonly from: string; readonly to: string } {
  const beginning = parts.map(ascii).join(SEPARATOR);
  return { from: beginning + SEPARATOR, to: beginning + BEHIND };
}

/** The prefix that a range read stays within: the family and first part of a key; for `f` and `r` only the family. */
export function bucketOf(text: string): string {
  if (text.startsWith('f') || text.startsWith('r')) return text.slice(0, 1);
  const first = text.indexOf(SEPARATOR);
  const second = text.indexOf(SEPARATOR, first + 1);
  return text.slice(0, second === -1 ? first : second);
}

/** The range of unarchived sessions that ended before this time. */
export function unarchivedBefore(endedMs: number): { readonly from: string; readonly to: string } {
  return { from: under('f').from, to: key('f', padded(endedMs, 15)) };
}

export function lastPart(text: string): string {
  const part = text.slice(text.lastIndexOf(SEPARATOR) + 1);
  return part.includes('%') ? part.replace(ESCAPED, (_, code) => String.fromCharCode(Number(code))) : part;
}

/** The smallest key that sorts after this one. */
export function after(text: string): string {
  return `${text}\0`;
}

/** Sort key of sessions by creation: the position of their first unit. */
export function orderAt({ segment, offset }: Position): string {
  return `${padded(segment, 8)}.${padded(offset, 10)}`;
}

function key(...parts: readonly string[]): string {
  return parts.map(ascii).join(SEPARATOR);
}

function ascii(part: string): string {
  return part.replace(NOT_ASCII, (unit) => `%${padded(unit.charCodeAt(0), 5)}`);
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
