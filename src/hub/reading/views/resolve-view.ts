/** Which view is meant, at the version the session began with, and with its parameters parsed. */

import type { CompleteAdapter } from '../../../core/ports/adapter.ts';
import { internalError, isProtocolError, WireError } from '../../../core/lib/errors.ts';
import { badValue, copyJsonObject, isPlainObject, type JsonObject } from '../../../core/lib/json.ts';
import type { Params } from '../../../core/operations.ts';
import type { CreatedData, SessionMetadata, ViewRef } from '../../../core/records/session/session.ts';
import type { View } from '../../../core/ports/view.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import { createdEnvelope, metadataAt } from '../../metadata-at.ts';
import type { HubParts } from '../../parts.ts';

export interface ChosenView {
  readonly view: View;
  readonly params: JsonObject;
}

export interface Choice {
  readonly asked: Params<'read_view'>['view'];
  readonly session: LiveSession;
  readonly adapter: CompleteAdapter | null;
  readonly metadata: SessionMetadata;
  readonly agentId: string;
  readonly atSeq: number;
}

/** The view that was asked for, else the one the session shows this participant. */
export async function chooseView(parts: HubParts, choice: Choice): Promise<ChosenView> {
  const { asked, session } = choice;
  const ref = asked === undefined ? await defaultRef(parts, choice) : askedRef(parts, asked);
  const view = await versionFor(parts, session, ref.name, asked !== undefined);
  try {
    return { view, params: parsedBy(view, ref.params) };
  } catch (thrown) {
    if (!isProtocolError(thrown))
      throw internalError(thrown, `parseParams of view ${ref.name} version ${view.version}`);
    if (asked === undefined) throw internalError(thrown, `the default view of session ${session.sessionId}`);
    const field = ['params.view.params', thrown.details?.field].filter((part) => part !== undefined).join('.');
    throw new WireError('bad_frame', thrown.message, { ...thrown.details, field }, { cause: thrown });
  }
}

/** What it used is told to whoever asked, so it must be JSON. */
function parsedBy(view: View, params: JsonObject): JsonObject {
  return copyJsonObject(view.parseParams(params), 'params', { maxDepth: 64, maxBytes: Number.MAX_SAFE_INTEGER });
}

/** As it was at that seq: an adapter may show more when there are more participants. */
async function defaultRef({ store }: HubParts, choice: Choice): Promise<ViewRef> {
  const { session, adapter, metadata, agentId, atSeq } = choice;
  if (adapter === null) return metadata.manifest.default_view;
  const then = await metadataAt(store, session, metadata, atSeq);
  return defaultViewOf(adapter, then, agentId);
}

/** The versions, as registered now, of the views a session shows its participants. One that is not registered has none. */
export function viewVersions({ views }: HubParts, adapter: CompleteAdapter, metadata: SessionMetadata): JsonObject {
  const names = metadata.participants.map(({ agent_id }) => defaultViewOf(adapter, metadata, agent_id).name);
  const versions = [...new Set(names)].flatMap((name) => {
    const view = views.newest(name);
    return view === null ? [] : [[name, view.version] as const];
  });
  return Object.fromEntries(versions);
}

/** Anything but a name with parameters is the adapter's defect. */
function defaultViewOf(adapter: CompleteAdapter, metadata: SessionMetadata, agentId: string): ViewRef {
  const doing = `defaultView of ${metadata.manifest.type}`;
  let ref: unknown;
  try {
    ref = adapter.defaultView(metadata, agentId);
  } catch (thrown) {
    throw internalError(thrown, doing);
  }
  if (isPlainObject(ref) && typeof ref.name === 'string' && isPlainObject(ref.params)) return ref as unknown as ViewRef;
  throw new WireError('internal', `${doing} gave no {name, params}`);
}

function askedRef({ limits }: HubParts, { name, params = {} }: NonNullable<Choice['asked']>): ViewRef {
  const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxKnobBytes };
  return { name, params: copyJsonObject(params, 'params.view.params', bounds) };
}

/** A session keeps the version it was created with; a view it does not begin with is the newest. */
async function versionFor(parts: HubParts, session: LiveSession, name: string, asked: boolean): Promise<View> {
  const { views, store } = parts;
  const { event_data } = await createdEnvelope(store, session);
  // session.created is made by the hub; the log is read by checksum, not by schema.
  const { versions } = event_data as unknown as CreatedData;
  const kept = isPlainObject(versions.view) && Object.hasOwn(versions.view, name) ? versions.view[name] : undefined;
  const view = typeof kept === 'number' ? views.find(name, kept) : views.newest(name);
  if (view !== null) return view;
  if (asked && kept === undefined) throw badValue('params.view.name', `one of ${views.known}`, name);
  const wanted = typeof kept === 'number' ? `${name} version ${kept}` : name;
  const message = `session ${session.sessionId} shows view ${wanted}, which is not registered; this hub has ${views.known}`;
  throw new WireError('unavailable', message, { outcome: 'refused', view: name });
}
