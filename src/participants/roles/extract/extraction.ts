/** Tries the extraction strategies in order until one finds something. */

import { canonicalJson, type JsonObject } from '../../../core/lib/json.ts';
import type { AgentReply } from '../../agent/agent-fn.ts';
import type { ExtractIssue, StandardSchema } from '../lib/standard-schema.ts';
import { metaBlocks } from './blocks.ts';
import { answerText, type Extraction, invalid, type Outcome, validateMeta } from './extraction-input.ts';
import { bySchema, bySecondModel, byTool, type Correction, objectOf } from './from-model.ts';
import { REPORT_TOOL } from './prompts.ts';
import type { ExtractStrategy } from './settings.ts';

/** `by` is the strategy that found something; null if none did. */
export type ExtractResult<Meta> =
  | Extract<Outcome<Meta>, { readonly kind: 'found' }>
  | {
      readonly kind: 'failed';
      readonly by: ExtractStrategy | null;
      readonly said: string;
      readonly issues: readonly ExtractIssue[];
      /** The issues that the agent can fix, without those of unavailable strategies. */
      readonly told: readonly ExtractIssue[];
    };

/** The first strategy that finds something decides, even if the result is invalid: a second one might invent metadata. */
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
  const told = own.length > 0 ? own : [{ path: '', message: 'no metadata found' }];
  return { kind: 'failed', by: null, said: answerText(about.reply), issues, told };
}

/** Repeats one strategy with a correction. */
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

/** Why a strategy is unavailable; null if it is available. */
export function unavailableReason<Meta>(
  by: ExtractStrategy,
  { own, settings, jsonSchema }: Pick<Extraction<Meta>, 'own' | 'settings' | 'jsonSchema'>,
): string | null {
  if (by === 'answer') return null;
  if (by === 'model' && settings.model === undefined) return 'no second model is set (extract.model)';
  if (by !== 'model' && own === undefined) return 'the agent is not a model';
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
    return { kind: 'absent', why: closed ?? 'it is unavailable' };
  const ways = { schema: bySchema, tool: byTool, model: bySecondModel } as const;
  return ways[by](about, client, jsonSchema.schema satisfies JsonObject, wrong);
}

/** An agent that knows the tool may already have called it. */
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
    const places = blocks.slice(0, MAX_PLACES).map(({ where }) => where);
    return invalid(`several blocks look like metadata and differ: ${places.join(', ')}`, answer);
  }
  // All are invalid: report the last one.
  return found ?? outcomes.at(-1) ?? { kind: 'absent', why: 'no block can be read', inAnswer: true };
}

function distinct(blocks: ReturnType<typeof metaBlocks>): readonly JsonObject[] {
  const values = blocks.flatMap(({ read }) => ('value' in read ? [read.value] : []));
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
