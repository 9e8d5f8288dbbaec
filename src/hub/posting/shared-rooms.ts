/** Declares the rooms that posting and the rooms above it use. Each class picks those it needs. */

import type { Access } from '../access/access.ts';
import type { AskArbiter } from '../access/ask-arbiter.ts';
import type { Rates } from '../access/rates.ts';
import type { Bindings, Presence } from '../bindings/bindings.ts';
import type { Inboxes } from '../delivery/inboxes.ts';
import type { Observers } from '../delivery/observers.ts';
import type { Streams } from '../delivery/streams.ts';
import type { Extensions } from '../extensions/resolve-adapter.ts';
import type { Ground } from '../log/ground.ts';
import type { Registry } from '../registry/registry.ts';
import type { Tokens } from '../registry/tokens.ts';
import type { LiveIndex } from '../sessions/live-index.ts';
import type { Redactions } from '../sessions/redactions.ts';
import type { Sessions } from '../sessions/sessions.ts';

export interface SharedRooms extends Ground, Extensions {
  readonly bindings: Bindings;
  readonly presence: Presence;
  readonly registry: Registry;
  /** null if this hub issues no tokens. */
  readonly tokens: Tokens | null;
  readonly index: LiveIndex;
  readonly redactions: Redactions;
  readonly sessions: Sessions;
  readonly arbiter: AskArbiter;
  readonly access: Access;
  readonly rates: Rates;
  readonly inboxes: Inboxes;
  readonly streams: Streams;
  readonly observers: Observers;
}
