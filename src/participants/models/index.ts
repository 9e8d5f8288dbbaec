/**
 * Models as participants: clients that roles and tools build on, and agents that take turns. `formats/` has one file per
 * API, `calls/` makes one call with retries, `usage/` counts tokens and prices, `client/` has the shared types.
 * Nothing here depends on Node; a call that has streamed text is never retried; unknown cost is null, never 0.
 */

export type { ByteReader, ModelFetch, ModelResponse } from './calls/served-model.ts';
export { refusesForcedTools } from './client/failure.ts';
export {
  assistantMessage,
  type CallEstimate,
  type ModelClient,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
  type ToolChoice,
} from './client/model-client.ts';
export type { LlmProvider } from './client/provider.ts';
export { threadMessages } from './client/thread-messages.ts';
export { createModels, type ModelProvider, type Models } from './create-models.ts';
export { adapterMeta, modelAgent } from './model-agent.ts';
export {
  costOf,
  KNOWN_PRICES,
  type Price,
  type PriceList,
  priceWarning,
  readPrices,
  withPrices,
} from './usage/prices.ts';
export { addUsage, type ModelUsage, promptTokens, UNKNOWN_USAGE } from './usage/usage.ts';
