/** Runs one turn of a role: asks the agent, extracts the metadata, and corrects it once if it is wrong. */

import type { JsonObject } from '../../core/lib/json.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions } from '../agent/agent-fn.ts';
import { asReply } from '../agent/reply.ts';
import type { ModelClient } from '../models/client/model-client.ts';
import { withinBudget } from '../models/within-budget.ts';
import { type ExtractResult, extract, extractAgain } from './extract/extraction.ts';
import { answerText, type Extraction, type JsonSchemaOf } from './extract/extraction-input.ts';
import { extended, instruction, retryPrompt } from './extract/prompts.ts';
import type { ResolvedExtractSettings } from './extract/settings.ts';
import type { ExtractIssue, StandardSchema } from './lib/standard-schema.ts';
import type { ReportedUsage } from './lib/usage-total.ts';
import { attachUsage, UsageTotal } from './lib/usage-total.ts';

export interface RoleSetup<Meta> {
  readonly adapter: AgentFn;
  readonly prompt: string;
  readonly schema: StandardSchema<Meta>;
  readonly settings: ResolvedExtractSettings;
  readonly jsonSchema: JsonSchemaOf;
  readonly own: ModelClient | undefined;
}

interface RoleResult<Meta> {
  /** The reply, with the usage and cost of all calls. */
  readonly reply: AgentReply;
  readonly meta: Meta;
  readonly said: JsonObject;
}

export async function runRoleTurn<Meta>(
  setup: RoleSetup<Meta>,
  ctx: ThreadContext,
  more: string,
  turn: TurnOptions | undefined,
): Promise<RoleResult<Meta>> {
  const role = new RoleTurn(setup, ctx, more, turn);
  try {
    const { reply, found } = await role.run();
    return { reply: { ...reply, ...role.spent.total }, meta: found.meta, said: found.said };
  } catch (thrown) {
    throw thrown instanceof ExtractError ? thrown : attachUsage(thrown, role.spent);
  }
}

interface Settled<Meta> {
  readonly reply: AgentReply;
  readonly found: Extract<ExtractResult<Meta>, { readonly kind: 'found' }>;
}

class RoleTurn<Meta> {
  private readonly setup: RoleSetup<Meta>;
  private readonly ctx: ThreadContext;
  private readonly systemPrompt: string;
  private readonly turn: TurnOptions | undefined;
  readonly spent = new UsageTotal();

  constructor(setup: RoleSetup<Meta>, ctx: ThreadContext, more: string, turn: TurnOptions | undefined) {
    this.setup = setup;
    this.ctx = ctx;
    this.systemPrompt = systemPromptOf(setup, more);
    this.turn = turn;
  }

  async run(): Promise<Settled<Meta>> {
    const { corrections } = this.setup.settings;
    const first = await this.ask(this.ctx, this.turn);
    const extracted = await this.extract(first);
    if (extracted.kind === 'found') return { reply: first, found: extracted };
    if (corrections === 0) throw new ExtractError(answerText(first), extracted.issues, this.spent.total);
    this.turn?.onProgress({
      kind: 'retry',
      text: `asking for the metadata again: ${describeIssues(extracted.issues)}`,
    });
    const { by } = extracted;
    const isOwn = by === null || by === 'answer';
    const { reply, outcome } = isOwn
      ? await this.askAgain(first, extracted)
      : await this.readAgain(first, extracted, by);
    if (outcome.kind === 'found') return { reply, found: outcome };
    throw new ExtractError(answerText(reply), outcome.issues, this.spent.total, 1);
  }

  /** Asks the agent for the whole answer again, so that answer and metadata stay consistent. */
  private async askAgain(
    first: AgentReply,
    { told }: Failed<Meta>,
  ): Promise<{ readonly reply: AgentReply; readonly outcome: ExtractResult<Meta> }> {
    const words = retryPrompt(describeIssues(told));
    const second = await this.ask(extended(this.ctx, answerText(first), words), this.correctionTurn(first));
    // The first answer decided the route, and the second may leave it out.
    const calls = second.tool_calls ?? first.tool_calls;
    const reply = calls === undefined ? second : { ...second, tool_calls: calls };
    return { reply, outcome: await this.extract(reply) };
  }

  /** Repeats the strategy that read the metadata; the answer stays unchanged. */
  private async readAgain(
    reply: AgentReply,
    { issues, said }: Failed<Meta>,
    by: NonNullable<Failed<Meta>['by']>,
  ): Promise<{ readonly reply: AgentReply; readonly outcome: ExtractResult<Meta> }> {
    const outcome = await extractAgain(this.about(reply), by, { said, words: describeIssues(issues) });
    this.checkWanted();
    return { reply, outcome };
  }

  private async ask(ctx: ThreadContext, turn: TurnOptions | undefined): Promise<AgentReply> {
    const reply = asReply(await this.setup.adapter(ctx, this.systemPrompt, turn));
    this.spent.add(reply);
    this.checkWanted();
    return reply;
  }

  private async extract(reply: AgentReply): Promise<ExtractResult<Meta>> {
    const extracted = await extract(this.about(reply));
    this.checkWanted();
    return extracted;
  }

  private about(reply: AgentReply): Extraction<Meta> {
    const { turn, ctx, spent, systemPrompt } = this;
    const { schema, settings, jsonSchema, own } = this.setup;
    const complete: Extraction<Meta>['complete'] = (client, request) =>
      withinBudget(client, turn?.budget).complete({
        ...request,
        ...(turn === undefined ? {} : { signal: turn.signal, onProgress: (event) => turn.onProgress(event) }),
      });
    return { schema, settings, jsonSchema, own, ctx, prompt: systemPrompt, reply, complete, spent };
  }

  /** Streams nothing: the first answer was already shown, the second is shown when it is posted. */
  private correctionTurn(first: AgentReply): TurnOptions | undefined {
    const { turn } = this;
    if (turn === undefined) return undefined;
    return {
      ...turn,
      onDelta() {},
      onProgress: (event) => turn.onProgress(event),
      idempotencyKey: `${turn.idempotencyKey}:correction`,
      nativeSessionId: first.native_session_id ?? turn.nativeSessionId,
    };
  }

  private checkWanted(): void {
    if (this.turn?.signal.aborted !== true) return;
    throw new AgentError('aborted', 'the turn was cancelled', { tool: 'role' });
  }
}

type Failed<Meta> = Extract<ExtractResult<Meta>, { readonly kind: 'failed' }>;

/** Joins the role's prompt, the participant's prompt, and the instructions for metadata. */
function systemPromptOf<Meta>({ prompt, settings, jsonSchema }: RoleSetup<Meta>, more: string): string {
  const isInstructed = settings.instruct && settings.strategies.includes('answer');
  const how = isInstructed ? instruction('schema' in jsonSchema ? jsonSchema.schema : null) : '';
  return [prompt, more, how].filter((part) => part !== '').join('\n\n');
}

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

function describeIssues(issues: readonly ExtractIssue[]): string {
  const shown = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => cut(path === '' ? message : `${path}: ${message}`));
  const more = issues.length > MAX_ISSUES ? [`and ${issues.length - MAX_ISSUES} more`] : [];
  return [...shown, ...more].join('; ');
}

function cut(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
}
