/** Asks a model for the metadata: the one behind the agent, or a second one. */

import { isPlainObject, type Json, type JsonObject } from '../../../core/lib/json.ts';
import { isAgentError } from '../../agent/agent-error.ts';
import { refusesForcedTools } from '../../models/client/failure.ts';
import type { ModelClient, ModelReply, ModelRequest, ModelTool } from '../../models/client/model-client.ts';
import { threadMessages } from '../../models/client/thread-messages.ts';
import { answerText, type Extraction, invalid, type Outcome, validateMeta } from './extraction-input.ts';
import { readJsonText } from './json-text.ts';
import * as prompts from './prompts.ts';

/** The rejected metadata, and its problem. */
export interface Correction {
  readonly said: string;
  readonly words: string;
}

/** Asks the model behind the agent, with the schema enforced by the service. */
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
  // A service without schema support lets the model answer anything.
  if ('problem' in read) return { kind: 'absent', why: `unusable answer: ${read.problem}` };
  return objectOf(about, read.value);
}

/** Asks the model behind the agent to call a tool. */
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

/** Asks a second model to read the answer; it can report that the metadata is not there. */
export async function bySecondModel<Meta>(
  about: Extraction<Meta>,
  client: ModelClient,
  schema: JsonObject,
  wrong: Correction | null,
): Promise<Outcome<Meta>> {
  const content = prompts.readOut(answerText(about.reply), wrong);
  const request = { system: prompts.READER_PROMPT, messages: [{ role: 'user' as const, content }] };
  const tools = [reportTool(schema), prompts.NOT_STATED_TOOL] as const;
  const reply = await asked(about, () => askWithTools(about, client, request, tools));
  return 'absent' in reply ? { kind: 'absent', why: reply.absent } : called(about, reply);
}

/** Builds a request from the thread, the answer, and the question about its metadata. */
function ownRequest<Meta>(about: Extraction<Meta>, question: string, wrong: Correction | null): ModelRequest {
  const { ctx, prompt, reply } = about;
  const asking = wrong === null ? question : `${question}\n\n${prompts.correction(wrong)}`;
  return { system: prompt, messages: threadMessages(prompts.extended(ctx, answerText(reply), asking)) };
}

/** A request the service rejects makes this strategy unavailable; other failures fail the turn. */
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
  return { kind: 'absent', why: `the answer does not state it: ${JSON.stringify(refusal)}`, inAnswer: true };
}

export function objectOf<Meta>(about: Extraction<Meta>, value: Json): Promise<Outcome<Meta>> | Outcome<Meta> {
  const text = JSON.stringify(value);
  // Custom clients may not have checked the arguments.
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
  return `Answer only by calling ${tools.map(({ name }) => `the tool ${name}`).join(' or ')}, once.`;
}
