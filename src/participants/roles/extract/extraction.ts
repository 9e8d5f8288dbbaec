/** The ways to the metadata of one answer, in their order, until one of them has something to say. */

import { canonicalJson, type JsonObject } from '../../../core/lib/json.ts';
import type { AgentReply } from '../../agent/agent-fn.ts';
import type { ExtractIssue, StandardSchema } from '../lib/standard-schema.ts';
import { metaBlocks } from './blocks.ts';
import { answerText, type Extraction, invalid, type Outcome, validateMeta } from './extraction-input.ts';
import { bySchema, bySecondModel, byTool, type Correction, objectOf } from './from-model.ts';
import { REPORT_TOOL } from './prompts.ts';
import type { ExtractStrategy } from './settings.ts';

/** `by` is who has said it; null = nobody said anything. */
export type ExtractResult<Meta> =
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
export async function extract<Meta>(about: Extraction<Meta>): Promise<ExtractResult<Meta>> {
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
  wrong: Correction,
): Promise<ExtractResult<Meta>> {
  const outcome = await along(by, about, wrong);
  if (outcome.kind === 'found') return outcome;
  if (outcome.kind === 'invalid') return { ...outcome, kind: 'failed', by, told: outcome.issues };
  const issues = [{ path: '', message: `${by}: ${outcome.why}` }];
  return { kind: 'failed', by, said: wrong.said, issues, told: issues };
}

/** Why a way is not open, whatever is answered; null = it is. */
export function unavailableReason<Meta>(
  by: ExtractStrategy,
  { own, settings, jsonSchema }: Pick<Extraction<Meta>, 'own' | 'settings' | 'jsonSchema'>,
): string | null {
  if (by === 'answer') return null;
  if (by === 'model' && settings.model === undefined) return 'no second model is set (extract.model)';
  if (by !== 'model' && own === undefined) return 'the agent is no model that can be asked';
  return 'missing' in jsonSchema ? jsonSchema.missing : null;
}

async function along<Meta>(
  by: ExtractStrategy,
  about: Extraction<Meta>,
  wrong: Correction | null,
): Promise<Outcome<Meta>> {
  const { schema, reply, own, settings, jsonSchema } = about;
  if (by === 'answer') return fromAnswer(schema, answerText(reply));
  const given = by === 'tool' && wrong === null ? callIn(reply) : undefined;
  if (given !== undefined) return objectOf(about, given.arguments);
  const closed = unavailableReason(by, about);
  const client = by === 'model' ? settings.model : own;
  if (closed !== null || client === undefined || 'missing' in jsonSchema)
    return { kind: 'absent', why: closed ?? 'it is not open' };
  const ways = { schema: bySchema, tool: byTool, model: bySecondModel } as const;
  return ways[by](about, client, jsonSchema.schema satisfies JsonObject, wrong);
}

/** An agent that knows the tool may have called it by itself. */
function callIn({ tool_calls = [] }: AgentReply): { readonly arguments: Parameters<typeof objectOf>[1] } | undefined {
  return tool_calls.findLast(({ name }) => name === REPORT_TOOL);
}

const MAX_PLACES = 5;

export async function fromAnswer<Meta>(schema: StandardSchema<Meta>, answer: string): Promise<Outcome<Meta>> {
  const blocks = metaBlocks(answer);
  const last = blocks.at(-1);
  if (last === undefined)
    return { kind: 'absent', why: 'the answer has no front matter and no block of JSON', inAnswer: true };
  if ('problem' in last.read) return invalid(`${last.where}: ${last.read.problem}`, answer);
  const outcomes = await Promise.all(distinct(blocks).map((said) => validateMeta(schema, said)));
  const [found, other] = outcomes.filter(({ kind }) => kind === 'found');
  if (other !== undefined) {
    const places = blocks
      .slice(0, MAX_PLACES)
      .map(({ where }) => where)
      .join(', ');
    return invalid(`several blocks could be the metadata and say different things: ${places}`, answer);
  }
  // Which was meant nobody knows; the last is the agent's last word.
  return found ?? outcomes.at(-1) ?? { kind: 'absent', why: 'no block can be read', inAnswer: true };
}

function distinct(blocks: ReturnType<typeof metaBlocks>): readonly JsonObject[] {
  const values = blocks.flatMap(({ read }) => ('value' in read ? [read.value] : []));
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
