/** Registers session adapters by type and version. */

import { HubError, WireError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import { type CompleteAdapter, completeAdapter, type SessionAdapter } from '../../core/ports/adapter.ts';
import type { Vocabulary } from '../../core/ports/transition.ts';
import { compileKnobs, type KnobsParser, parseManifest } from '../../core/records/session/manifest.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { VersionedRegistry } from '../lib/versioned-registry.ts';

export interface RegisteredAdapter {
  readonly adapter: CompleteAdapter;
  readonly parseKnobs: KnobsParser;
  /** True if the adapter has a member that is called at session creation. */
  readonly isAsked: boolean;
  /** True if `forSession` may return a different adapter for each session. */
  readonly isTailored: boolean;
  /** null if the session type has no transition graphs. */
  readonly inspectGraph: NonNullable<SessionAdapter['inspectGraph']> | null;
  /** The adapter of one session, possibly the shared one. */
  forSession(metadata: SessionMetadata, vocabulary: Vocabulary): CompleteAdapter;
}

export class Adapters {
  private readonly registered = new VersionedRegistry<RegisteredAdapter>('adapter', 'adapter_exists');

  /** Rejects invalid manifests and a second registration of one (type, version). */
  register<State>(given: SessionAdapter<State>): RegisteredAdapter {
    checkMembers(given);
    const manifest = parseManifest(given.manifest);
    const { type, version } = manifest;
    const adapter = { ...completeAdapter(given), manifest };
    const registered = {
      adapter,
      parseKnobs: compileKnobs(manifest),
      isAsked: ASKED.some((member) => given[member] !== undefined),
      isTailored: given.forSession !== undefined,
      inspectGraph: given.inspectGraph?.bind(given) ?? null,
      forSession(metadata: SessionMetadata, vocabulary: Vocabulary): CompleteAdapter {
        const own = given.forSession?.(metadata, vocabulary) ?? given;
        if (own === given) return adapter;
        checkMembers(own);
        // All sessions of a type share its frozen manifest, which every log contains.
        return { ...completeAdapter(own), manifest };
      },
    };
    this.registered.add(type, version, registered);
    return registered;
  }

  find(type: string, version: number): RegisteredAdapter | null {
    return this.registered.find(type, version);
  }

  newest(): readonly RegisteredAdapter[] {
    return [...this.registered.names].sort().flatMap((type) => this.registered.newest(type) ?? []);
  }

  choose(type: string, version: number | undefined): RegisteredAdapter {
    const chosen = version === undefined ? this.registered.newest(type) : this.registered.find(type, version);
    if (chosen !== null) return chosen;
    const versions = this.registered.versionsOf(type);
    if (versions.length === 0) {
      const message = `type: no adapter "${type}"; this hub has ${this.registered.known}`;
      throw new WireError('invalid_create', message, { field: 'type', received: type });
    }
    const message = `version: no version ${version} of adapter "${type}"; this hub has ${versions.join(', ')}`;
    throw new WireError('invalid_create', message, { field: 'version', received: String(version) });
  }
}

const ASKED = ['uses', 'forSession', 'resolveKnobs'] as const;
const MEMBERS = ['initialState', 'validateCreate', 'validateSend', 'fold', 'onAccepted'] as const;

/** Reports missing members at registration instead of when a session needs them. */
function checkMembers(given: unknown): void {
  if (typeof given !== 'object' || given === null || !('manifest' in given)) {
    const expected = `an object with manifest, ${MEMBERS.join(', ')}`;
    throw new HubError('bad_adapter', `adapter: expected ${expected}, got ${describeValue(given)}`);
  }
  const missing = MEMBERS.filter((member) => typeof Reflect.get(given, member) !== 'function');
  if (missing.length === 0) return;
  const { manifest } = given;
  const type =
    typeof manifest === 'object' && manifest !== null && 'type' in manifest ? describeValue(manifest.type) : 'it';
  throw new HubError('bad_adapter', `adapter ${type}: ${missing.join(', ')} must be a function`);
}
