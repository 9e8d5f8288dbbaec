/** The error of an answer without valid metadata: the answer, the issues and the cost of the calls. Pure. */

import { AgentError } from '../../agent/agent-error.ts';
import type { ExtractIssue } from '../lib/standard-schema.ts';
import type { ReportedUsage } from '../lib/usage-total.ts';

export class ExtractError extends AgentError {
  /** The last answer, verbatim. */
  readonly raw: string;
  readonly issues: readonly ExtractIssue[];

  /** `spent` covers all calls; `corrections` counts the correction requests. */
  constructor(raw: string, issues: readonly ExtractIssue[], spent: ReportedUsage = {}, corrections = 0) {
    const { usage = null, cost_usd = null } = spent;
    const again = corrections === 0 ? '' : ', even after a correction';
    super('bad_output', `no metadata that matches the schema${again}: ${describeIssues(issues)}`, {
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

/** Checks the shape, not the class: the error may come from another copy of this package. */
export function isExtractError(thrown: unknown): thrown is ExtractError {
  return thrown instanceof Error && thrown.name === 'ExtractError' && 'raw' in thrown && 'issues' in thrown;
}

/** A schema can report any number of issues, each quoting its value. */
const MAX_ISSUES = 20;
const MAX_CHARS = 300;

export function describeIssues(issues: readonly ExtractIssue[]): string {
  const shown = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => cut(path === '' ? message : `${path}: ${message}`));
  const more = issues.length > MAX_ISSUES ? [`and ${issues.length - MAX_ISSUES} more`] : [];
  return [...shown, ...more].join('; ');
}

function cut(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
}
