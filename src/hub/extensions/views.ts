/** Registers views by name and version. */

import { internalError, WireError } from '../../core/lib/errors.ts';
import { isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { View } from '../../core/ports/view.ts';
import type { SessionMetadata, ViewRef } from '../../core/records/session/session.ts';
import { NamedRegistry, type RegistrationKind } from '../lib/versioned-registry.ts';

const VIEW: RegistrationKind = {
  kind: 'a view',
  code: 'bad_view',
  example: 'full_transcript',
  members: ['parseParams', 'window', 'show'],
};

export class Views extends NamedRegistry<View> {
  constructor() {
    super('view', 'view_exists', () => VIEW);
  }
}

/** The newest registered versions of the default views of a session's participants; unregistered views are left out. */
export function viewVersions(views: Views, adapter: CompleteAdapter, metadata: SessionMetadata): JsonObject {
  const names = metadata.participants.map(({ agent_id }) => defaultViewOf(adapter, metadata, agent_id).name);
  const versions = [...new Set(names)].flatMap((name) => {
    const view = views.newest(name);
    return view === null ? [] : [[name, view.version] as const];
  });
  return Object.fromEntries(versions);
}

/** The adapter's default view for the agent. Any answer other than {name, params} is the adapter's defect. */
export function defaultViewOf(adapter: CompleteAdapter, metadata: SessionMetadata, agentId: string): ViewRef {
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
