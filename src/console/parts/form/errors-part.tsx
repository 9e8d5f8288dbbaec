/** Shows the errors of a field. The field refers to them in `aria-describedby`. */

import type { VNode } from 'preact';
import { fittingText } from '../../text/fitting-text.ts';

const MAX_ERROR = 600;

export function ErrorsPart({ id, messages }: { readonly id: string; readonly messages: readonly string[] }): VNode {
  return (
    <div id={id}>
      {messages.map((message) => (
        <p key={message} class="form-error">
          {fittingText(message, MAX_ERROR).text}
        </p>
      ))}
    </div>
  );
}
