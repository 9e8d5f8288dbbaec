/** token_budget: the newest lines that fit into `max_tokens`, at least one. */

import type { View } from 'parley-hub/core';
import { messageOf } from './lines.ts';
import { flag, parseParams, wholeNumber } from './parts/params.ts';

const CHARACTERS_PER_TOKEN = 4;

export const tokenBudget: View = {
  name: 'token_budget',
  version: 1,
  parseParams: (params) => parseParams('token_budget', params, { max_tokens: wholeNumber, named: flag }),
  window({ max_tokens, named }) {
    let used = 0;
    return (line) => {
      const isNewest = used === 0;
      used += tokensOf(messageOf(line, { named: named === true }).content);
      return isNewest || used <= Number(max_tokens);
    };
  },
  show: (shown, _earlier, { named }) => shown.map((line) => messageOf(line, { named: named === true })),
};

/** A portable estimate without a tokenizer. An empty line counts as one token. */
function tokensOf(content: string): number {
  return Math.max(1, Math.ceil(content.length / CHARACTERS_PER_TOKEN));
}
