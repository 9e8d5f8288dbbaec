/** Transcripts as resources: a session as its participant sees it, in pages of bounded length. */

import type { McpServer } from '@modelcontextprotocol/server';
import { parseCursor } from './cursor.ts';
import type { Participant } from './participant.ts';
import { refusalText } from './refusal.ts';
import type { Sdk } from './server.ts';
import { pageFrom } from './transcript-page.ts';

const URI = 'parley://session/';
/** How many of the newest sessions are listed. */
const LISTED = 50;
/** A host reads a resource for its user, or for good reason: four pages of a tool. */
const RESOURCE_CHARS = 64_000;

const about = {
  title: 'Transcript of a session',
  description:
    'What was said in a session of yours, as you see it; where it is long, its end names the address of the rest.',
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
  const { sessions } = await participant.call('list_sessions', { limit: LISTED });
  const resources = sessions.map(({ session_id, type, state, labels }) => ({
    uri: `${URI}${session_id}`,
    name: labels.intent ?? `${type} ${session_id.slice(-6)}`,
    description: `${type}, ${state}`,
    mimeType: about.mimeType,
  }));
  return { resources };
}

async function read(sdk: Sdk, participant: Participant, uri: string, session: string, cursor: string | undefined) {
  try {
    const page = await pageFrom(participant, session, parseCursor(cursor), RESOURCE_CHARS);
    const lines = page.messages.map(({ from, text }) => `[${from}]: ${text}`);
    if (page.more) lines.push(`[more]: ${URI}${session}/from/${encodeURIComponent(page.cursor)}`);
    return { contents: [{ uri, mimeType: about.mimeType, text: lines.join('\n\n') }] };
  } catch (thrown) {
    const message = await refusalText(thrown, participant, session);
    throw message.startsWith('not_found')
      ? new sdk.ResourceNotFoundError(uri, message)
      : new sdk.ProtocolError(sdk.ProtocolErrorCode.InternalError, message);
  }
}
