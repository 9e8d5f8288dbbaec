// What these tests use of the package, including internals.

export type { Json } from 'parley-hub/core';
export type {
  AgentFn,
  AgentTool,
  CallEstimate,
  ModelClient,
  ModelReply,
  ModelRequest,
  TurnOptions,
} from 'parley-hub/participants';
export { modelAgent, UNKNOWN_USAGE } from '../../../src/participants/models/index.ts';
