/** Models as participants: clients that roles and tools build on, and agents that take turns. */

export { type AdapterMeta, adapterMeta } from './adapter-meta.ts';
export { costOf, type PricedUsage } from './cost.ts';
export type { LlmProvider } from './formats/endpoint.ts';
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
} from './client/model-client.ts';
export type { ByteReader, ModelFetch, ModelFetchInit, ModelIo, ModelResponse } from './model-io.ts';
export { type ModelProvider, type Models, modelsOn } from './create-models.ts';
export {
  KNOWN_PRICES,
  type Price,
  type PriceList,
  type PriceTier,
  priceWarning,
  readPrices,
  withPrices,
} from './usage/prices.ts';
export { RETRY_WAITS_MS } from './retry-table.ts';
export { threadMessages } from './client/thread-messages.ts';
export { addUsage, type ModelUsage, promptTokens, UNKNOWN_USAGE } from './usage/usage.ts';
