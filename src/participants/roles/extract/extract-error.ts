/** No metadata could be got out of an answer: what was said, what is wrong with it, and which ways were not open. Pure. */

import { AgentError } from '../../agent/agent-error.ts';
import type { Told } from '../spent.ts';
import type { ExtractIssue } from '../lib/standard-schema.ts';
import { wordsOf } from './words.ts';

/** An AgentError of the kind `bad_output`: what the agent wrote cannot be read. */
export class ExtractError extends AgentError {
  /** The last answer, word for word. */
  readonly raw: string;
  readonly issues: readonly ExtractIssue[];

  /** `spent` is what all calls used and cost; `corrections`, how often it was told what is wrong. */
  constructor(raw: string, issues: readonly ExtractIssue[], spent: Told = {}, corrections = 0) {
    const { usage = null, cost_usd = null } = spent;
    const again = corrections === 0 ? '' : ', also after a correction';
    super('bad_output', `no metadata as the schema wants it${again}: ${wordsOf(issues)}`, {
      tool: 'extract',
      partial: raw,
      call: {
        class: 'parse',
        status: null,
        code: null,
        request_id: null,
        retries: corrections,
        usage,
        cost_usd,
        refuses_forced_tools: false,
      },
    });
    this.name = 'ExtractError';
    this.raw = raw;
    this.issues = issues;
  }
}

/** By shape, not by class: it may come from another copy of this package. */
export function isExtractError(thrown: unknown): thrown is ExtractError {
  return thrown instanceof Error && thrown.name === 'ExtractError' && 'raw' in thrown && 'issues' in thrown;
}
