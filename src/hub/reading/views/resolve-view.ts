/** Resolves a view to the version the session began with, and parses its parameters. */

import { internalError, isProtocolError, WireError } from '../../../core/lib/errors.ts';
import { copyJsonObject, invalidValueError, isPlainObject, type JsonObject } from '../../../core/lib/json.ts';
import type { CompleteAdapter } from '../../../core/ports/adapter.ts';
import type { Store } from '../../../core/ports/store.ts';
import type { View } from '../../../core/ports/view.ts';
import type { Params } from '../../../core/protocol/operations/operations.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import type { CreatedData, SessionMetadata, ViewRef } from '../../../core/records/session/session.ts';
import { foldEnvelope, type SessionState } from '../../../core/state/state.ts';
import { defaultViewOf } from '../../extensions/views.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import type { ReadingRooms } from '../log/read-access.ts';
import { cannotReadError } from '../log/read-lines.ts';

type ViewRooms = Pick<ReadingRooms, 'limits' | 'store' | 'views'>;

export interface ResolvedView {
  readonly view: View;
  readonly params: JsonObject;
}

export interface ViewRequest {
  readonly asked: Params<'read_view'>['view'];
  readonly session: LiveSession;
  readonly adapter: CompleteAdapter | null;
  readonly metadata: SessionMetadata;
  readonly agentId: string;
  readonly atSeq: number;
}

/** The requested view, or else the session's default for this participant. */
export async function resolveView(rooms: ViewRooms, choice: ViewRequest): Promise<ResolvedView> {
  const { asked, session } = choice;
  const { maxJsonDepth: maxDepth, maxKnobBytes: maxBytes } = rooms.limits;
  const given = () => copyJsonObject(asked?.params ?? {}, 'params.view.params', { maxDepth, maxBytes });
  const ref = asked === undefined ? await defaultRef(rooms, choice) : { name: asked.name, params: given() };
  const view = await versionFor(rooms, session, ref.name, asked !== undefined);
  try {
    // The answer contains the parsed parameters, so they must be JSON.
    const bounds = { maxDepth: 64, maxBytes: Number.MAX_SAFE_INTEGER };
    return { view, params: copyJsonObject(view.parseParams(ref.params), 'params', bounds) };
  } catch (thrown) {
    if (!isProtocolError(thrown))
      throw internalError(thrown, `parseParams of view ${ref.name} version ${view.version}`);
    if (asked === undefined) throw internalError(thrown, `the default view of session ${session.sessionId}`);
    const field = ['params.view.params', thrown.details?.field].filter((part) => part !== undefined).join('.');
    throw new WireError('bad_frame', thrown.message, { ...thrown.details, field }, { cause: thrown });
  }
}

/** The default view at `atSeq`: an adapter may choose it by the participants of that time. */
async function defaultRef({ store }: ViewRooms, choice: ViewRequest): Promise<ViewRef> {
  const { session, adapter, metadata, agentId, atSeq } = choice;
  if (adapter === null) return metadata.manifest.default_view;
  const then = await metadataAt(store, session, metadata, atSeq);
  return defaultViewOf(adapter, then, agentId);
}

/** The version recorded at creation; the newest version if none was recorded. */
async function versionFor(rooms: ViewRooms, session: LiveSession, name: string, asked: boolean): Promise<View> {
  const { views, store } = rooms;
  const [created] = await envelopesOf(store, session, 1, 1);
  if (created === undefined) throw cannotReadError(session, 1);
  // The hub wrote session.created; reading a log verifies checksums, not schemas.
  const { versions } = created.event_data as unknown as CreatedData;
  const kept = isPlainObject(versions.view) && Object.hasOwn(versions.view, name) ? versions.view[name] : undefined;
  const view = typeof kept === 'number' ? views.find(name, kept) : views.newest(name);
  if (view !== null) return view;
  if (asked && kept === undefined) throw invalidValueError('params.view.name', `one of ${views.known}`, name);
  const wanted = typeof kept === 'number' ? `${name} version ${kept}` : name;
  const message = `session ${session.sessionId} shows view ${wanted}, which is not registered; this hub has ${views.known}`;
  throw new WireError('unavailable', message, { outcome: 'refused', view: name });
}

async function metadataAt(
  store: Store,
  session: LiveSession,
  now: SessionMetadata,
  atSeq: number,
): Promise<SessionMetadata> {
  const changes = session.tally.changesUpTo(atSeq);
  if (changes === null) return now.head_seq === atSeq ? now : { ...now, head_seq: atSeq };
  let state: SessionState | null = null;
  for (const [from, to] of runsOf(changes)) {
    for (const envelope of await envelopesOf(store, session, from, to)) {
      state = foldEnvelope(state, envelope, { adapter: null, epoch: session.epoch });
    }
  }
  return state === null ? now : { ...state.metadata, head_seq: atSeq };
}

async function envelopesOf(store: Store, session: LiveSession, from: number, to: number): Promise<readonly Envelope[]> {
  const tail = session.tailFrom(from)?.slice(0, to - from + 1);
  const range = { from_seq: from, to_seq: to, limit: to - from + 1 };
  const entries = tail ?? (await store.read(session.sessionId, range));
  if (entries.length < range.limit) throw cannotReadError(session, from + entries.length);
  return entries.map(({ envelope }) => envelope);
}

/** Maximum entries read and folded in one step. */
const PAGE = 128;

/** Groups seqs into ranges of consecutive ones; each range is read with one call. */
function runsOf(seqs: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const runs: [number, number][] = [];
  for (const seq of seqs) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === seq - 1 && seq - last[0] < PAGE) last[1] = seq;
    else runs.push([seq, seq]);
  }
  return runs;
}
