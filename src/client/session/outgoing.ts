/** Posts to one session in the order of the calls: a post that must resolve names delays later posts. */

import type { PostAnswer } from '../../core/decisions/admit.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import type { PostParams } from '../../core/protocol/operations/posting.ts';
import { checkOptions, isObject } from '../lib/option-checks.ts';
import type { Roster } from './roster.ts';
import type { HostedSession } from './session-host.ts';
import { type Content, SEND_OPTIONS, type SendOptions } from './session-options.ts';

interface PostedSession extends HostedSession {
  readonly roster: Roster;
  posted(answer: PostAnswer): void;
}

export class Outgoing {
  private readonly session: PostedSession;
  /** A send that is resolving names; later ones wait for it. null if there is none. */
  private addressing: Promise<unknown> | null = null;

  constructor(session: PostedSession) {
    this.session = session;
  }

  async send(content: string | Content, options: SendOptions): Promise<PostAnswer> {
    checkContent(content);
    checkOptions(options, SEND_OPTIONS);
    while (this.addressing !== null) await this.addressing;
    const { roster } = this.session;
    const { to } = options;
    if (to === undefined) return this.post(content, options);
    const known = roster.knownIds(to);
    if (known !== null) return this.post(content, options, known);
    // Wrap the answer in an object, so that later sends wait only for the names.
    const posting = roster.idsOf(to).then((audience) => ({ answer: this.post(content, options, audience) }));
    const addressed = (): void => {
      this.addressing = null;
    };
    this.addressing = posting.then(addressed, addressed);
    return (await posting).answer;
  }

  private async post(
    content: string | Content,
    { key, expectedSeq, causationId, deadlineMs }: SendOptions,
    audience?: readonly string[],
  ): Promise<PostAnswer> {
    const said = typeof content === 'string' ? { event_type: 'msg.text', event_data: { text: content } } : content;
    const params: PostParams = {
      // Content may be an envelope of another session; the members below override its own.
      ...said,
      session_id: this.session.id,
      ...(audience === undefined ? {} : { audience }),
      idempotency_key: key ?? this.session.host.ids.hex32(),
      causation_id: causationId,
      expected_seq: expectedSeq,
    };
    const answer = await this.session.host.call('post', params, { deadlineMs });
    this.session.posted(answer);
    return answer;
  }
}

/** Only checks that it is content; the hub checks the rest. */
function checkContent(content: unknown): void {
  if (typeof content === 'string' || (isObject(content) && content.event_type !== undefined)) return;
  throw invalidValueError('content', 'text or {event_type, event_data}', content);
}
