/** Shows untrusted text as plain text, isolated in direction and limited in length. */

import { useState } from 'preact/hooks';
import { jsonText, shortLine, visibleText } from './visible-text.ts';

/** Longer text is cut until the reader asks for all of it. */
const MAX_SHOWN = 8000;

/** A name, label or reason on one line. */
export function Line({ text, most }: { text: string; most?: number }) {
  return <bdi class="line">{shortLine(text, most)}</bdi>;
}

/** A message, with its line breaks. */
export function Said({ text }: { text: string }) {
  const [isWhole, showWhole] = useState(false);
  const shown = isWhole || text.length <= MAX_SHOWN ? text : text.slice(0, MAX_SHOWN);
  return (
    <>
      <bdi class="said">{visibleText(shown)}</bdi>
      {shown.length < text.length && (
        <button type="button" class="quiet" onClick={() => showWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
}

/** A value as JSON text. */
export function Value({ value, label }: { value: unknown; label: string }) {
  const text = jsonText(value);
  return (
    <pre class="value" tabIndex={0} role="region" aria-label={label}>
      <bdi>{text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}</bdi>
    </pre>
  );
}
