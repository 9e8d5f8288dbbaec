/** The views the hub was handed, by name and version. */

import { HubError } from '../core/errors.ts';
import { describe } from '../core/json.ts';
import type { View } from '../core/view.ts';

export class Views {
  private readonly byName = new Map<string, Map<number, View>>();

  /** What is no view, or a second behaviour under one (name, version), is refused. */
  register(view: View): void {
    checkMembers(view);
    const { name, version } = view;
    const versions = this.byName.get(name) ?? new Map<number, View>();
    if (versions.has(version)) {
      throw new HubError(
        'view_exists',
        `view ${name} version ${version} is registered already; a new behaviour needs a new version`,
      );
    }
    versions.set(version, view);
    this.byName.set(name, versions);
  }

  find(name: string, version: number): View | null {
    return this.byName.get(name)?.get(version) ?? null;
  }

  newest(name: string): View | null {
    const versions = this.byName.get(name);
    return versions?.get(Math.max(...versions.keys())) ?? null;
  }

  /** For messages: what there is. */
  get known(): string {
    return [...this.byName.keys()].sort().join(', ') || 'none';
  }
}

const MEMBERS = ['parseParams', 'window', 'show'] as const;
const NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

/** A member that is missing would otherwise show only when somebody reads. */
function checkMembers(given: unknown): void {
  if (typeof given !== 'object' || given === null || !('name' in given)) {
    const expected = `a view is an object with name, version, ${MEMBERS.join(', ')}`;
    throw new HubError('bad_view', `${expected}; got ${describe(given)}`);
  }
  const { name } = given;
  const version: unknown = Reflect.get(given, 'version');
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new HubError('bad_view', `view: expected a name such as "full_transcript", got ${describe(name)}`);
  }
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new HubError('bad_view', `view ${name}: expected a whole version ≥ 1, got ${describe(version)}`);
  }
  const missing = MEMBERS.filter((member) => typeof Reflect.get(given, member) !== 'function');
  if (missing.length > 0) throw new HubError('bad_view', `view ${name}: ${missing.join(', ')} must be a function`);
}
