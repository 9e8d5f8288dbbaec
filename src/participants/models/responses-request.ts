/** A request as OpenAI's Responses API takes it; nothing is stored there, the whole thread goes along each time. Pure. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import type { ModelMessage, ModelRequest, ModelTool, ModelToolCall, ToolChoice } from './client/model-client.ts';
import type { BodySettings } from './formats/model-format.ts';
import { isStrict } from './strict-schema.ts';

export const RESPONSES_FORMAT = 'responses';

export function responsesBody(request: ModelRequest, settings: BodySettings): JsonObject {
  const { system = '', messages, tools = [], toolChoice, schema } = request;
  const temperature = request.temperature ?? settings.temperature;
  const maxTokens = request.maxTokens ?? settings.maxTokens;
  return {
    model: settings.model,
    ...(system === '' ? {} : { instructions: system }),
    input: messages.flatMap(itemsOf),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(schema === undefined
      ? {}
      : { text: { format: { type: 'json_schema', ...schema, strict: isStrict(schema.schema) } } }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    store: false,
    stream: settings.stream,
  };
}

function itemsOf(message: ModelMessage): readonly Json[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: message.content }];
    case 'assistant': {
      const { raw, content, tool_calls = [] } = message;
      if (raw?.format === RESPONSES_FORMAT && Array.isArray(raw.content)) return raw.content;
      return [...(content === '' ? [] : [{ role: 'assistant', content }]), ...tool_calls.map(writtenCall)];
    }
  }
}

function writtenCall({ id, name, arguments: given }: ModelToolCall): JsonObject {
  return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(given) };
}

/** Here `strict` is on unless it is switched off. */
function toolOf({ name, description, parameters }: ModelTool): JsonObject {
  return { type: 'function', name, description, parameters, strict: isStrict(parameters) };
}

function choiceOf(choice: ToolChoice): string | JsonObject {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : choice;
}
