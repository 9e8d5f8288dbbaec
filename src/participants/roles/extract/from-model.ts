/** The metadata as a model says it when it is asked for it: the one behind the agent, of its own answer, or a second one. */

import { isPlainObject, type Json, type JsonObject } from '../../../core/lib/json.ts';
import { isAgentError } from '../../agent/agent-error.ts';
import { refusesForcedTools } from '../../models/client/failure.ts';
import type {
  ModelClient,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelTool,
} from '../../models/client/model-client.ts';
import { threadMessages } from '../../models/client/thread-messages.ts';
import { answerText, type Extraction, invalid, type Outcome, validateMeta } from './extraction-input.ts';
import { readJsonText } from './json-text.ts';
import * as prompts from './prompts.ts';

/** A correction: what was said, and what is wrong with it. */
export interface Correction {
  readonly said: string;
  readonly words: string;
}

/** The model behind the agent, held to the schema by its service. */
export async function bySchema<Meta>(
  about: Extraction<Meta>,
  client: ModelClient,
  schema: JsonObject,
  wrong: Correction | null,
): Promise<Outcome<Meta>> {
  const request = { ...ownRequest(about, prompts.SAY_AS_JSON, wrong), schema: { name: 'metadata', schema } };
  const reply = await asked(about, () => about.complete(client, request));
  if ('absent' in reply) return { kind: 'absent', why: reply.absent };
  const read = readJsonText(reply.text);
  // A service that knows nothing of schemas lets the model say anything.
  if ('problem' in read) return { kind: 'absent', why: `it answered ${read.problem}` };
  return objectOf(about, read.value);
}

/** The model behind the agent, by a call of a tool. */
export async function byTool<Meta>(
  about: Extraction<Meta>,
  client: ModelClient,
  schema: JsonObject,
  wrong: Correction | null,
): Promise<Outcome<Meta>> {
  const request = ownRequest(about, prompts.CALL_THE_TOOL, wrong);
  const reply = await asked(about, () => askWithTools(about, client, request, [reportTool(schema)]));
  return 'absent' in reply ? { kind: 'absent', why: reply.absent } : called(about, reply);
}

/** A second model, which was not there: it can say that the answer does not say it. */
export async function bySecondModel<Meta>(
  about: Extraction<Meta>,
  client: ModelClient,
  schema: JsonObject,
  wrong: Correction | null,
): Promise<Outcome<Meta>> {
  const messages: readonly ModelMessage[] = [
    { role: 'user', content: prompts.readOut(answerText(about.reply), wrong) },
  ];
  const request = { system: prompts.READER_PROMPT, messages };
  const reply = await asked(about, () =>
    askWithTools(about, client, request, [reportTool(schema), prompts.NOT_STATED_TOOL]),
  );
  return 'absent' in reply ? { kind: 'absent', why: reply.absent } : called(about, reply);
}

/** Its thread, its answer, and the question for the metadata of that. */
function ownRequest<Meta>(about: Extraction<Meta>, question: string, wrong: Correction | null): ModelRequest {
  const { ctx, prompt, reply } = about;
  const asking = wrong === null ? question : `${question}\n\n${prompts.correction(wrong)}`;
  return { system: prompt, messages: threadMessages(prompts.extended(ctx, answerText(reply), asking)) };
}

/** What a service does not take is another way's turn; all other failures are the turn's. */
async function asked<Meta>(
  { spent }: Extraction<Meta>,
  ask: () => Promise<ModelReply>,
): Promise<ModelReply | { readonly absent: string }> {
  try {
    const reply = await ask();
    spent.add(reply);
    if (reply.stop === 'refused') return { absent: `the model refused: ${reply.refusal ?? reply.text}` };
    return reply.stop === 'length' ? { absent: 'its answer was cut off' } : reply;
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.kind !== 'invalid_request') throw thrown;
    return { absent: thrown.message };
  }
}

function called<Meta>(about: Extraction<Meta>, reply: ModelReply): Promise<Outcome<Meta>> | Outcome<Meta> {
  const report = reply.tool_calls.findLast(({ name }) => name === prompts.REPORT_TOOL);
  if (report !== undefined) return objectOf(about, report.arguments);
  const refusal = reply.tool_calls.findLast(({ name }) => name === prompts.NOT_STATED_TOOL.name)?.arguments;
  if (refusal === undefined) return { kind: 'absent', why: 'the model did not call the tool' };
  return { kind: 'absent', why: `the answer does not say it: ${JSON.stringify(refusal)}`, inAnswer: true };
}

/** Arguments came as JSON, so a plain object of them is one. */
export function objectOf<Meta>(about: Extraction<Meta>, value: Json): Promise<Outcome<Meta>> | Outcome<Meta> {
  const text = JSON.stringify(value);
  // Once more through the gate: a client of another make may not have looked.
  const read = readJsonText(text);
  if ('problem' in read) return invalid(read.problem, text);
  if (!isPlainObject(read.value)) return invalid('expected a JSON object', text);
  return validateMeta(about.schema, read.value as JsonObject);
}

function reportTool(schema: JsonObject): ModelTool {
  return { name: prompts.REPORT_TOOL, description: 'Takes the metadata of the answer.', parameters: schema };
}

const unforced = new WeakSet<ModelClient>();

async function askWithTools(
  { complete }: Pick<Extraction<unknown>, 'complete'>,
  client: ModelClient,
  request: ModelRequest,
  tools: readonly [ModelTool, ...ModelTool[]],
): Promise<ModelReply> {
  const gently = (): Promise<ModelReply> => {
    const system = [request.system ?? '', mustCall(tools)].filter((part) => part !== '').join('\n\n');
    return complete(client, { ...request, system, tools, toolChoice: 'auto' });
  };
  if (unforced.has(client)) return gently();
  try {
    const toolChoice = tools.length === 1 ? { name: tools[0].name } : 'required';
    return await complete(client, { ...request, tools, toolChoice });
  } catch (thrown) {
    if (!refusesForcedTools(thrown)) throw thrown;
    unforced.add(client);
    return gently();
  }
}

function mustCall(tools: readonly ModelTool[]): string {
  return `Answer by calling ${tools.map(({ name }) => `the tool ${name}`).join(' or ')}, once, and in no other way.`;
}
