/** The views the hub was handed, by name and version. */

import { HubError } from '../../core/lib/errors.ts';
import { describe } from '../../core/lib/json.ts';
import type { View } from '../../core/ports/view.ts';
import { ByVersion } from '../by-version.ts';

export class Views {
  private readonly views = new ByVersion<View>('view', 'view_exists');

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
