/** What a tool of the hub is for an agent in its turn: one record, bound to the turn it is called in. */

import type { AgentClient, Session } from '../../../client/index.ts';
import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { sha256 } from '../../../core/lib/sha256.ts';
import type { OwnSignal } from '../../../core/ports/platform.ts';
import type { Result } from '../../../core/protocol/operations/operations.ts';
import type { ToolCall } from '../../agent/agent-fn.ts';
import type { DelegationMeter } from '../../budget/turn-meter.ts';

/** The turn a tool is called in. */
export interface ToolContext {
  readonly client: AgentClient;
  readonly session: Session;
  /** As the session was when the turn was found. */
  readonly info: Result<'get_session'>;
  /** The same for every try of the turn. */
  readonly turnKey: string;
  readonly budget: DelegationMeter | null;
}

/** What came of a call: data to show, or the end of the turn. */
export type ToolOutcome =
  | { readonly kind: 'shown'; readonly value: Json }
  | { readonly kind: 'ends'; readonly text: string; readonly route?: ToolCall };

export interface HubTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** `args` fits `parameters`. What it throws is told to the model. */
  run(args: JsonObject, scene: ToolContext, signal: OwnSignal): Promise<ToolOutcome>;
}

export function shown(value: object): ToolOutcome {
  // Made of JSON by the tools, with members left out that are undefined.
  return { kind: 'shown', value: JSON.parse(JSON.stringify(value)) as Json };
}

/** What is wrong, said by a tool itself. */
export class ToolRefusal extends Error {}

/** A key of the hub for what is asked: the same in every try of the turn. */
export function keyFor({ turnKey }: ToolContext, what: string, ...parts: readonly Json[]): string {
  return `${what} ${sha256(JSON.stringify([turnKey, ...parts]))}`;
}

/** The parameters of a tool: those that are named must be given. */
export function parameters(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}
