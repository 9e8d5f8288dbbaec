/** Renders one envelope: a message with its audience, or an event as a quiet line. */

import { renderText } from '../../../core/ports/adapter.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { packetText } from '../../../core/records/session/packets.ts';
import { memo } from '../../lib/memo.ts';
import { hubNow } from '../../state/hub-clock.ts';
import { isQuiet, markOf } from '../../state/session/marks.ts';
import { routingText, speakerHue } from '../../state/session/session-text.ts';
import { Line, Said } from '../../text/untrusted-text.tsx';
import { dollars } from '../../text/visible-text.ts';
import { clockTime } from '../../time/time-text.ts';
import { LineIn } from '../../widgets/widgets.tsx';

interface Props {
  readonly envelope: Envelope;
  readonly names: ReadonlyMap<string, string>;
  /** True if the previous envelope has the same sender. */
  readonly isSame: boolean;
  /** The decision that the session has waited for since this envelope; null if there is none. */
  readonly awaits: string | null;
}

export const EnvelopeRow = memo(function EnvelopeRow({ envelope, names, isSame, awaits }: Props) {
  const { seq, created_at } = envelope;
  const time = (
    <time class="dim" dateTime={created_at}>
      {clockTime(created_at, hubNow())}
    </time>
  );
  if (isQuiet(envelope)) {
    const mark = markOf(envelope, names);
    return (
      <div class={`quiet-row mark-${mark?.kind ?? 'other'}`} data-seq={seq}>
        <span class="dot" aria-hidden="true" />
        <span>
          <Line text={mark?.text ?? envelope.event_type} most={300} />{' '}
          {awaits !== null && (
            <>
              · <LineIn tag="strong" class="awaits" text={awaits} most={240} />
            </>
          )}{' '}
          <Audience audience={envelope.audience} names={names} />
        </span>
        <span class="seq">#{seq}</span>
        {time}
      </div>
    );
  }
  const name = names.get(envelope.sender_id) ?? envelope.sender_id;
  const text = messageText(envelope);
  const routing = routingText(envelope, names);
  return (
    <article class={`said-row hue-${speakerHue(envelope.sender_id, names)}${isSame ? ' same' : ''}`} data-seq={seq}>
      <header>
        <LineIn tag="strong" class="speaker" text={name} most={60} />{' '}
        <Audience audience={envelope.audience} names={names} />
        <Cost cost={envelope.event_data.cost_usd} />
        <span class="seq">#{seq}</span>
        {time}
      </header>
      {text !== '' && (
        <p class={envelope.redacted === undefined ? 'text' : 'text redacted'}>
          <Said text={text} />
        </p>
      )}
      {routing !== null && <LineIn tag="p" class="routing" text={routing} most={300} />}
    </article>
  );
});

/** The text without the routing, which is shown separately so that no message can imitate it. */
function messageText(envelope: Envelope): string {
  const { event_type, event_data, redacted } = envelope;
  return event_type === 'msg.packet' && redacted === undefined
    ? packetText({ body: event_data.body })
    : renderText(envelope);
}

export function Audience({ audience, names }: { audience: Envelope['audience']; names: Props['names'] }) {
  if (audience === null) return null;
  const who = audience.map((id) => names.get(id) ?? id);
  return (
    <span class="audience">{who.length === 0 ? 'log only' : <Line text={`to ${who.join(', ')}`} most={80} />}</span>
  );
}

function Cost({ cost }: { cost: unknown }) {
  return typeof cost === 'number' ? <span class="dim cost">{dollars(cost)}</span> : null;
}
