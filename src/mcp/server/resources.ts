/** Serves transcripts as resources: a session as its participant sees it, in bounded pages. */

import type { McpServer } from '@modelcontextprotocol/server';
import { toWireError } from '../../core/lib/errors.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { parseCursor } from '../session/cursor.ts';
import { type Participant, Refusal } from '../session/participant.ts';
import { readSessionStatus } from '../session/session-status.ts';
import { readTranscriptPage } from '../session/transcript-page.ts';
import { refusalText } from './refusal-text.ts';

export type Sdk = typeof import('@modelcontextprotocol/server');

const URI = 'parley://session/';
/** Number of newest sessions to list; also the page size. */
const LISTED = 50;
const MAX_PAGES = 20;
/** Equal to four pages of `session_read`. */
const RESOURCE_CHARS = 64_000;

const about = {
  title: 'Transcript of a session',
  description: 'The messages of one of your sessions as you see them; a long transcript ends with the URI of the rest.',
  mimeType: 'text/plain',
};

export function registerResources(sdk: Sdk, server: McpServer, participant: Participant): void {
  const whole = new sdk.ResourceTemplate(`${URI}{session}`, { list: () => listed(participant) });
  const rest = new sdk.ResourceTemplate(`${URI}{session}/from/{cursor}`, { list: undefined });
  server.registerResource('transcript', whole, about, ({ href }, { session }) =>
    read(sdk, participant, href, String(session), undefined),
  );
  server.registerResource('transcript-rest', rest, { ...about, title: 'The rest of a transcript' }, (uri, variables) =>
    read(sdk, participant, uri.href, String(variables.session), decodeURIComponent(String(variables.cursor))),
  );
}

async function listed(participant: Participant) {
  const sessions = await readable(participant);
  const resources = sessions.slice(0, LISTED).map(({ session_id, type, state, labels }) => ({
    uri: `${URI}${session_id}`,
    name: labels.intent ?? `${type} ${session_id.slice(-6)}`,
    description: `${type}, ${state}`,
    mimeType: about.mimeType,
  }));
  return { resources };
}

/** Lists readable sessions. Invitees cannot read a session yet, so this may search several pages. */
async function readable(participant: Participant): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && found.length < LISTED; pages++) {
    const page: Result<'list_sessions'> = await participant.call('list_sessions', { after, limit: LISTED });
    const joined = await Promise.all(page.sessions.map((one) => hasJoined(participant, one.session_id)));
    found.push(...page.sessions.filter((_, i) => joined[i]));
    if (page.next === null) break;
    after = page.next;
  }
  return found;
}

async function hasJoined(participant: Participant, session_id: string): Promise<boolean> {
  const { status } = await readSessionStatus(participant, session_id);
  return status !== 'invited' && status !== 'rejected';
}

async function read(sdk: Sdk, participant: Participant, uri: string, session: string, cursor: string | undefined) {
  try {
    const page = await readTranscriptPage(participant, session, parseCursor(cursor), RESOURCE_CHARS);
    const lines = page.messages.map(({ from, text }) => `[${from}]: ${text}`);
    if (page.more) lines.push(`[more]: ${URI}${session}/from/${encodeURIComponent(page.cursor)}`);
    return { contents: [{ uri, mimeType: about.mimeType, text: lines.join('\n\n') }] };
  } catch (thrown) {
    const message = await refusalText(thrown, participant, session);
    throw errorFor(sdk, thrown, uri, message);
  }
}

/** An invalid session id is a missing resource; only failures of the hub are internal errors. */
function errorFor(sdk: Sdk, thrown: unknown, uri: string, message: string): Error {
  const { InvalidParams, InternalError } = sdk.ProtocolErrorCode;
  if (thrown instanceof Refusal) return new sdk.ProtocolError(InvalidParams, message);
  const { code } = toWireError(thrown, 'the resource');
  if (code === 'not_found' || code === 'bad_frame') return new sdk.ResourceNotFoundError(uri, message);
  const isFault = code === 'internal' || code === 'unavailable' || code === 'timeout';
  return new sdk.ProtocolError(isFault ? InternalError : InvalidParams, message);
}
