/** What is wrong with a field, where the field is. It is read out with the field, which names it as its description. */

import type { VNode } from 'preact';
import { shownText } from '../text/shown-text.ts';

const MAX_ERROR = 600;

export function ErrorsPart({ id, messages }: { readonly id: string; readonly messages: readonly string[] }): VNode {
  return (
    <div id={id}>
      {messages.map((message) => (
        <p key={message} class="form-error">
          {shownText(message, MAX_ERROR).text}
        </p>
      ))}
    </div>
  );
}
