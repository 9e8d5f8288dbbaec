/** Holds posts until the arbiter has answered and the recipients' inboxes are counted; keeps the order of each connection. */

import type { Draft } from '../../core/records/session/envelope.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';
import { type Access, type ArbiterVerdicts, NO_VERDICTS } from '../access/access.ts';
import type { Inboxes } from '../delivery/inboxes.ts';

/** Posts of one endpoint keep their order. */
export interface Sender {
  readonly endpoint: { readonly endpointId: string };
}

type CountedInboxes = Pick<Inboxes, 'isReadyFor' | 'toCount'>;

export class PostAuthorizer {
  private readonly access: Access;
  private readonly inboxes: CountedInboxes;
  /** The last held post, by connection and session. */
  private readonly lines = new Map<string, Promise<void>>();

  constructor(access: Access, inboxes: CountedInboxes) {
    this.access = access;
    this.inboxes = inboxes;
  }

  /** True if `pass` would run its work synchronously, without verdicts. */
  isOpen(draft: Draft, metadata: SessionMetadata | undefined): boolean {
    if (this.access.asksFirst || this.lines.size > 0) return false;
    return metadata === undefined || this.inboxes.isReadyFor(draft, metadata);
  }

  /** Runs `then` synchronously, unless the arbiter, a count or an earlier post is pending. */
  pass<T>(
    sender: Sender,
    draft: Draft,
    metadata: SessionMetadata | undefined,
    then: (verdicts: ArbiterVerdicts, hasWaited: boolean) => Promise<T>,
  ): Promise<T> {
    const ready = this.ready(draft, metadata);
    if (this.lines.size === 0 && !(ready instanceof Promise)) return then(ready, false);
    const place = `${sender.endpoint.endpointId}\n${draft.session_id}`;
    const before = this.lines.get(place);
    if (before === undefined && !(ready instanceof Promise)) return then(ready, false);
    const mine = Promise.all([ready, before]).then(([verdicts]) => verdicts);
    const answer = mine.then((verdicts) => then(verdicts, true));
    const line = mine.then(() => {
      if (this.lines.get(place) === line) this.lines.delete(place);
    });
    this.lines.set(place, line);
    return answer;
  }

  private ready(draft: Draft, metadata: SessionMetadata | undefined): ArbiterVerdicts | Promise<ArbiterVerdicts> {
    if (metadata === undefined) return NO_VERDICTS;
    const verdicts = this.access.verdicts(draft, metadata);
    const counted = this.inboxes.toCount(draft, metadata);
    return counted === null ? verdicts : Promise.all([verdicts, counted]).then(([known]) => known);
  }
}
