/** A request as the chat completions of OpenAI, and of all who do it like them, take it. Pure. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { ModelMessage, ModelRequest, ModelTool, ModelToolCall, ToolChoice } from './client/model-client.ts';
import type { BodySettings } from './formats/model-format.ts';
import { asObject } from './read-json.ts';
import { isStrict } from './strict-schema.ts';

export const CHAT_FORMAT = 'chat-completions';

export function chatBody(request: ModelRequest, settings: BodySettings): JsonObject {
  const { system = '', messages, tools = [], toolChoice, schema } = request;
  const temperature = request.temperature ?? settings.temperature;
  const maxTokens = request.maxTokens ?? settings.maxTokens;
  return {
    model: settings.model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.map(messageOf)],
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(schema === undefined ? {} : { response_format: { type: 'json_schema', json_schema: strictly(schema) } }),
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(settings.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function messageOf(message: ModelMessage): JsonObject {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: message.content };
    case 'assistant': {
      const { raw, content, tool_calls = [] } = message;
      const own = raw?.format === CHAT_FORMAT ? asObject(raw.content) : null;
      if (own !== null) return own;
      if (tool_calls.length === 0) return { role: 'assistant', content };
      return { role: 'assistant', content: content === '' ? null : content, tool_calls: tool_calls.map(writtenCall) };
    }
  }
}

export function writtenCall({ id, name, arguments: given }: ModelToolCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

function toolOf({ name, description, parameters }: ModelTool): JsonObject {
  return { type: 'function', function: { name, description, parameters } };
}

function choiceOf(choice: ToolChoice): string | JsonObject {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}

function strictly({ name, schema }: { readonly name: string; readonly schema: JsonObject }): JsonObject {
  return { name, schema, ...(isStrict(schema) ? { strict: true } : {}) };
}
