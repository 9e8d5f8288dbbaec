/** Models as participants: clients that roles and tools build on, and agents that take turns. */

export { type AdapterMeta, adapterMeta } from './adapter-meta.ts';
export { costOf, type PricedUsage } from './cost.ts';
export type { LlmProvider } from './endpoint.ts';
export { refusesForcedTools } from './forced-tools.ts';
export { type ModelAgentOptions, modelAgent } from './model-agent.ts';
export {
  type AnswerSchema,
  type AssistantMessage,
  assistantMessage,
  type CallEstimate,
  type ModelClient,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
  type RawAnswer,
  type StopReason,
  type ToolChoice,
} from './model-client.ts';
export type { ByteReader, ModelFetch, ModelFetchInit, ModelIo, ModelResponse } from './model-io.ts';
export { type ModelProvider, type Models, modelsOn } from './models-on.ts';
export {
  KNOWN_PRICES,
  type Price,
  type PriceList,
  type PriceTier,
  priceWarning,
  readPrices,
  withPrices,
} from './price-list.ts';
export { RETRY_WAITS_MS } from './retry-table.ts';
export { threadMessages } from './thread-messages.ts';
export { addUsage, type ModelUsage, promptTokens, UNKNOWN_USAGE } from './usage.ts';
