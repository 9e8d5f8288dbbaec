/** Why a run stands still. */

import type { VNode } from 'preact';
import { longText, shortText } from '../../text/visible-text.ts';
import { Ago } from '../../time/times.tsx';
import { type Names, nameIn } from '../graph/drawn-graph.ts';
import type { Blocker } from './model/run-history.ts';
import { stopWords } from './stop-words.ts';

export function BlockerNotice({ blocker, names }: { readonly blocker: Blocker; readonly names: Names }): VNode {
  const { detail, what, owner, action, isQuestion, at } = blocker;
  return (
    <div class="run-notice run-notice-bad">
      <p>
        <strong>{isQuestion ? 'A person is asked:' : 'Blocked:'}</strong> {longText(detail)}
      </p>
      <p class="run-quiet">
        {shortText(stopWords(what, detail))} {at !== '' && <Ago at={at} />}
        {owner !== null && `; to be resolved by ${shortText(nameIn(names, owner))}`}
        {action !== null && `: ${shortText(action)}`}
      </p>
    </div>
  );
}
