/** The JSON text of envelopes that are on their way: one goes to all its recipients one after the other, and is written once. */

import type { Envelope } from '../core/envelope.ts';
import { envelopeText } from '../core/unit-text.ts';

export class EnvelopeTexts {
  private last: Envelope | null = null;
  private text = '';

  of(envelope: Envelope): string {
    if (envelope !== this.last) {
      this.text = envelopeText(envelope);
      this.last = envelope;
    }
    return this.text;
  }
}
