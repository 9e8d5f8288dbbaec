/** The views the hub was handed, by name and version. */

import { HubError, internalError, WireError } from '../../core/lib/errors.ts';
import { describeValue, isPlainObject, type JsonObject } from '../../core/lib/json.ts';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { View } from '../../core/ports/view.ts';
import type { SessionMetadata, ViewRef } from '../../core/records/session/session.ts';
import { VersionedRegistry } from '../lib/versioned-registry.ts';

export class Views {
  private readonly views = new VersionedRegistry<View>('view', 'view_exists');

  /** What is no view, or a second behaviour under one (name, version), is refused. */
  register(view: View): void {
    checkMembers(view);
    this.views.register(view.name, view.version, view);
  }

  find(name: string, version: number): View | null {
    return this.views.find(name, version);
  }

  newest(name: string): View | null {
    return this.views.newest(name);
  }

  /** For messages: what there is. */
  get known(): string {
    return [...this.views.names].sort().join(', ') || 'none';
  }
}

const MEMBERS = ['parseParams', 'window', 'show'] as const;
const NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

/** A member that is missing would otherwise show only when somebody reads. */
function checkMembers(given: unknown): void {
  if (typeof given !== 'object' || given === null || !('name' in given)) {
    const expected = `a view is an object with name, version, ${MEMBERS.join(', ')}`;
    throw new HubError('bad_view', `${expected}; got ${describeValue(given)}`);
  }
  const { name } = given;
  const version: unknown = Reflect.get(given, 'version');
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new HubError('bad_view', `view: expected a name such as "full_transcript", got ${describeValue(name)}`);
  }
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new HubError('bad_view', `view ${name}: expected a whole version ≥ 1, got ${describeValue(version)}`);
  }
  const missing = MEMBERS.filter((member) => typeof Reflect.get(given, member) !== 'function');
  if (missing.length > 0) throw new HubError('bad_view', `view ${name}: ${missing.join(', ')} must be a function`);
}

/** The versions, as registered now, of the views a session shows its participants. One that is not registered has none. */
export function viewVersions(views: Views, adapter: CompleteAdapter, metadata: SessionMetadata): JsonObject {
  const names = metadata.participants.map(({ agent_id }) => defaultViewOf(adapter, metadata, agent_id).name);
  const versions = [...new Set(names)].flatMap((name) => {
    const view = views.newest(name);
    return view === null ? [] : [[name, view.version] as const];
  });
  return Object.fromEntries(versions);
}

/** Anything but a name with parameters is the adapter's defect. */
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
