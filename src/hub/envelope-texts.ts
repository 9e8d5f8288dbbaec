/** The JSON text of envelopes that are on their way: one goes to all its recipients one after the other, and is written once. */

import type { Entry, Envelope } from '../core/records/session/envelope.ts';
import { envelopeText, onlyEnvelopeIn } from '../core/state/serialize.ts';

export class EnvelopeTexts {
  private last: Envelope | null = null;
  private text = '';
  /** The text that `last` is in, as the store has it; null = it was taken out of it. */
  private unit: string | null = null;

  /** What was just written, and mostly goes to somebody now. */
  know(entries: readonly Entry[], unit: string): void {
    const [only] = entries;
    if (entries.length !== 1 || only === undefined) return;
    this.last = only.envelope;
    this.unit = unit;
  }

  of(envelope: Envelope): string {
    if (envelope !== this.last) {
      this.text = envelopeText(envelope);
      this.last = envelope;
    } else if (this.unit !== null) {
      this.text = onlyEnvelopeIn(this.unit);
    }
    this.unit = null;
    return this.text;
  }
}
