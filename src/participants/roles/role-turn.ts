/** One answer of a role: the agent is asked, its metadata looked for, and once more if that is not right. */

import type { JsonObject } from '../../core/lib/json.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions } from '../agent/agent-fn.ts';
import { asReply } from '../agent/reply.ts';
import type { ModelClient } from '../models/client/model-client.ts';
import { withinBudget } from '../models/within-budget.ts';
import { describeIssues, ExtractError } from './extract/extract-error.ts';
import { type ExtractResult, extract, extractAgain } from './extract/extraction.ts';
import { answerText, type Extraction, type JsonSchemaOf } from './extract/extraction-input.ts';
import { extended, instruction, retryPrompt } from './extract/prompts.ts';
import type { ResolvedExtractSettings } from './extract/settings.ts';
import type { StandardSchema } from './lib/standard-schema.ts';
import { attachUsage, UsageTotal } from './lib/usage-total.ts';

/** Who plays what. */
export interface RoleSetup<Meta> {
  readonly adapter: AgentFn;
  readonly prompt: string;
  readonly schema: StandardSchema<Meta>;
  readonly settings: ResolvedExtractSettings;
  readonly jsonSchema: JsonSchemaOf;
  readonly own: ModelClient | undefined;
}

export interface RoleResult<Meta> {
  /** With what all calls used and cost. */
  readonly reply: AgentReply;
  readonly meta: Meta;
  readonly said: JsonObject;
}

export async function runRoleTurn<Meta>(
  casting: RoleSetup<Meta>,
  ctx: ThreadContext,
  more: string,
  turn: TurnOptions | undefined,
): Promise<RoleResult<Meta>> {
  const spent = new UsageTotal();
  const stage = new RoleTurn(casting, ctx, more, turn, spent);
  try {
    const { reply, found } = await stage.run();
    return { reply: { ...reply, ...spent.told }, meta: found.meta, said: found.said };
  } catch (thrown) {
    throw thrown instanceof ExtractError ? thrown : attachUsage(thrown, spent);
  }
}

interface Settled<Meta> {
  readonly reply: AgentReply;
  readonly found: Extract<ExtractResult<Meta>, { readonly kind: 'found' }>;
}

class RoleTurn<Meta> {
  private readonly casting: RoleSetup<Meta>;
  private readonly ctx: ThreadContext;
  private readonly systemPrompt: string;
  private readonly turn: TurnOptions | undefined;
  private readonly spent: UsageTotal;

  constructor(
    casting: RoleSetup<Meta>,
    ctx: ThreadContext,
    more: string,
    turn: TurnOptions | undefined,
    spent: UsageTotal,
  ) {
    this.casting = casting;
    this.ctx = ctx;
    this.systemPrompt = systemPromptOf(casting, more);
    this.turn = turn;
    this.spent = spent;
  }

  async run(): Promise<Settled<Meta>> {
    const { corrections } = this.casting.settings;
    const first = await this.ask(this.ctx, this.turn);
    const extracted = await this.extract(first);
    if (extracted.kind === 'found') return { reply: first, found: extracted };
    if (corrections === 0) throw new ExtractError(answerText(first), extracted.issues, this.spent.told);
    this.note(`the metadata is asked for again: ${describeIssues(extracted.issues)}`);
    const { by } = extracted;
    const { reply, outcome } =
      by === null || by === 'answer'
        ? await this.askAgain(first, extracted)
        : await this.readAgain(first, extracted, by);
    if (outcome.kind === 'found') return { reply, found: outcome };
    throw new ExtractError(answerText(reply), outcome.issues, this.spent.told, 1);
  }

  /** The agent itself, which said it: its answer and its metadata stay one. */
  private async askAgain(
    first: AgentReply,
    { told }: Failed<Meta>,
  ): Promise<{ readonly reply: AgentReply; readonly outcome: ExtractResult<Meta> }> {
    const words = retryPrompt(describeIssues(told));
    const second = await this.ask(extended(this.ctx, answerText(first), words), this.correctionTurn(first));
    // Where to go on was decided with the first answer, and may not be said again.
    const calls = second.tool_calls ?? first.tool_calls;
    const reply = calls === undefined ? second : { ...second, tool_calls: calls };
    return { reply, outcome: await this.extract(reply) };
  }

  /** Who read it out of the answer, which stays as it is. */
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
    const reply = asReply(await this.casting.adapter(ctx, this.systemPrompt, turn));
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
    const { schema, settings, jsonSchema, own } = this.casting;
    const complete: Extraction<Meta>['complete'] = (client, request) =>
      withinBudget(client, turn?.budget).complete({
        ...request,
        ...(turn === undefined ? {} : { signal: turn.signal, onProgress: (event) => turn.onProgress(event) }),
      });
    return { schema, settings, jsonSchema, own, ctx, prompt: systemPrompt, reply, complete, spent };
  }

  /** What was shown of the first answer cannot be taken back, and the second is shown when it is posted. */
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

  private note(text: string): void {
    this.turn?.onProgress({ kind: 'retry', text });
  }

  private checkWanted(): void {
    if (this.turn?.signal.aborted !== true) return;
    throw new AgentError('aborted', 'the turn was cancelled', { tool: 'role' });
  }
}

type Failed<Meta> = Extract<ExtractResult<Meta>, { readonly kind: 'failed' }>;

/** Its own, what it is told beside that, and how metadata is written. */
function systemPromptOf<Meta>({ prompt, settings, jsonSchema }: RoleSetup<Meta>, more: string): string {
  const isTold = settings.instruct && settings.strategies.includes('answer');
  const how = isTold ? instruction('schema' in jsonSchema ? jsonSchema.schema : null) : '';
  return [prompt, more, how].filter((part) => part !== '').join('\n\n');
}
