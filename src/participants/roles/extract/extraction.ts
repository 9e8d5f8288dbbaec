/** The ways to the metadata of one answer, in their order, until one of them has something to say. */

import type { JsonObject } from '../../../core/lib/json.ts';
import type { AgentReply, ThreadContext } from '../../agent/agent-fn.ts';
import type { ModelClient, ModelReply, ModelRequest } from '../../models/client/model-client.ts';
import { answerText } from '../answer-text.ts';
import type { Spent } from '../spent.ts';
import type { ExtractIssue, StandardSchema } from '../lib/standard-schema.ts';
import { fromAnswer } from './from-answer.ts';
import { bySchema, bySecondModel, byTool, objectOf, type Wrong } from './from-model.ts';
import type { JsonSchemaOf } from './json-schema-of.ts';
import type { Outcome } from './outcome.ts';
import { REPORT } from './prompts.ts';
import type { Extracting, ExtractStrategy } from './settings.ts';

export interface Extraction<Meta> {
  readonly schema: StandardSchema<Meta>;
  readonly settings: Extracting;
  readonly jsonSchema: JsonSchemaOf;
  /** The model behind the agent, if it is one. */
  readonly own: ModelClient | undefined;
  readonly ctx: ThreadContext;
  readonly prompt: string;
  readonly reply: AgentReply;
  /** Calls a model, as long as the turn lasts. */
  complete(client: ModelClient, request: ModelRequest): Promise<ModelReply>;
  readonly spent: Spent;
}

/** `by` is who has said it; null = nobody said anything. */
export type Extracted<Meta> =
  | Extract<Outcome<Meta>, { readonly kind: 'found' }>
  | {
      readonly kind: 'failed';
      readonly by: ExtractStrategy | null;
      readonly said: string;
      readonly issues: readonly ExtractIssue[];
      /** As much of it as concerns the answer: which ways are open is not for the agent to mend. */
      readonly told: readonly ExtractIssue[];
    };

/** The first that finds something decides, also when that is wrong: a second guess would be an invention. */
export async function extract<Meta>(about: Extraction<Meta>): Promise<Extracted<Meta>> {
  const absent: { readonly by: ExtractStrategy; readonly why: string; readonly inAnswer?: true }[] = [];
  for (const by of about.settings.strategies) {
    const outcome = await along(by, about, null);
    if (outcome.kind === 'found') return outcome;
    if (outcome.kind === 'invalid') return { ...outcome, kind: 'failed', by, told: outcome.issues };
    absent.push({ ...outcome, by });
  }
  const issues = absent.map(({ by, why }) => ({ path: '', message: `${by}: ${why}` }));
  const own = absent.flatMap(({ why, inAnswer }) => (inAnswer ? [{ path: '', message: why }] : []));
  const told = own.length > 0 ? own : [{ path: '', message: 'no metadata was found' }];
  return { kind: 'failed', by: null, said: answerText(about.reply), issues, told };
}

/** The same way once more, told what was wrong. */
export async function extractAgain<Meta>(
  about: Extraction<Meta>,
  by: ExtractStrategy,
  wrong: Wrong,
): Promise<Extracted<Meta>> {
  const outcome = await along(by, about, wrong);
  if (outcome.kind === 'found') return outcome;
  if (outcome.kind === 'invalid') return { ...outcome, kind: 'failed', by, told: outcome.issues };
  const issues = [{ path: '', message: `${by}: ${outcome.why}` }];
  return { kind: 'failed', by, said: wrong.said, issues, told: issues };
}

/** Why a way is not open, whatever is answered; null = it is. */
export function closedBecause<Meta>(
  by: ExtractStrategy,
  { own, settings, jsonSchema }: Pick<Extraction<Meta>, 'own' | 'settings' | 'jsonSchema'>,
): string | null {
  if (by === 'answer') return null;
  if (by === 'model' && settings.model === undefined) return 'no second model is set (extract.model)';
  if (by !== 'model' && own === undefined) return 'the agent is no model that can be asked';
  return 'missing' in jsonSchema ? jsonSchema.missing : null;
}

async function along<Meta>(by: ExtractStrategy, about: Extraction<Meta>, wrong: Wrong | null): Promise<Outcome<Meta>> {
  const { schema, reply, own, settings, jsonSchema } = about;
  if (by === 'answer') return fromAnswer(schema, answerText(reply));
  const given = by === 'tool' && wrong === null ? callIn(reply) : undefined;
  if (given !== undefined) return objectOf(about, given.arguments);
  const closed = closedBecause(by, about);
  const client = by === 'model' ? settings.model : own;
  if (closed !== null || client === undefined || 'missing' in jsonSchema)
    return { kind: 'absent', why: closed ?? 'it is not open' };
  const ways = { schema: bySchema, tool: byTool, model: bySecondModel } as const;
  return ways[by](about, client, jsonSchema.schema satisfies JsonObject, wrong);
}

/** An agent that knows the tool may have called it by itself. */
function callIn({ tool_calls = [] }: AgentReply): { readonly arguments: Parameters<typeof objectOf>[1] } | undefined {
  return tool_calls.findLast(({ name }) => name === REPORT);
}
