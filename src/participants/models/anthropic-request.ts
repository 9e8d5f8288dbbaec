/** A request as Anthropic's Messages API takes it. Pure. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import type { ModelMessage, ModelRequest, ModelTool, ToolChoice } from './client/model-client.ts';
import type { BodySettings } from './formats/model-format.ts';

export const ANTHROPIC_FORMAT = 'anthropic-messages';

/** The API wants a number. */
const MAX_TOKENS = 8_192;

interface Entry {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Json[];
}

export function anthropicBody(request: ModelRequest, settings: BodySettings): JsonObject {
  const { system = '', messages, tools = [], toolChoice, schema } = request;
  const temperature = request.temperature ?? settings.temperature;
  return {
    model: settings.model,
    max_tokens: request.maxTokens ?? settings.maxTokens ?? MAX_TOKENS,
    ...(system === '' ? {} : { system }),
    messages: merged(messages.map(entryOf)).map(({ role, content }) => ({ role, content })),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(schema === undefined ? {} : { output_config: { format: { type: 'json_schema', schema: schema.schema } } }),
    ...(temperature === undefined ? {} : { temperature }),
    stream: settings.stream,
  };
}

function entryOf(message: ModelMessage): Entry {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: textBlocks(message.content) };
    case 'tool': {
      const { tool_call_id, content, is_error = false } = message;
      const failed = is_error ? { is_error } : {};
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool_call_id, content, ...failed }] };
    }
    case 'assistant': {
      const { raw, content, tool_calls = [] } = message;
      if (raw?.format === ANTHROPIC_FORMAT && Array.isArray(raw.content))
        return { role: 'assistant', content: raw.content };
      const calls = tool_calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
      return { role: 'assistant', content: [...textBlocks(content), ...calls] };
    }
  }
}

/** A text block must not be empty. */
function textBlocks(text: string): readonly Json[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** The results of one round of tools go into one message, and a message must not be empty. */
function merged(entries: readonly Entry[]): readonly Entry[] {
  const result: Entry[] = [];
  for (const entry of entries.filter(({ content }) => content.length > 0)) {
    const last = result.at(-1);
    if (last?.role === entry.role)
      result[result.length - 1] = { ...last, content: [...last.content, ...entry.content] };
    else result.push(entry);
  }
  return result;
}

function toolOf({ name, description, parameters }: ModelTool): JsonObject {
  return { name, description, input_schema: parameters };
}

function choiceOf(choice: ToolChoice): JsonObject {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}
