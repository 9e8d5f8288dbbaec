/** What somebody is writing and has not said yet. */

import { Line } from '../text/untrusted-text.tsx';
import { visibleText } from '../text/visible-text.ts';
import type { Writing } from '../state/session/open-session.ts';
import { speakerHue } from './speaker-hue.ts';

export function WritingRow({ writing, names }: { writing: Writing; names: ReadonlyMap<string, string> }) {
  return (
    <article class={`said-row writing hue-${speakerHue(writing.senderId, names)}`}>
      <header>
        <strong class="speaker">
          <Line text={names.get(writing.senderId) ?? writing.senderId} most={60} />
        </strong>{' '}
        <span class="dim">is writing…</span>
      </header>
      <p class="text">
        <bdi class="said">{visibleText(writing.text)}</bdi>
      </p>
    </article>
  );
}
