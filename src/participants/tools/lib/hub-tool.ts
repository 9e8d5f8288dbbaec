/** Defines a hub tool and the turn to which it is bound. */

import type { AgentClient, Session } from '../../../client/index.ts';
import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { sha256 } from '../../../core/lib/sha256.ts';
import type { OwnSignal } from '../../../core/ports/platform.ts';
import type { Result } from '../../../core/protocol/operations/operations.ts';
import type { ToolCall } from '../../agent/agent-fn.ts';
import type { DelegationMeter } from '../../budget/turn-meter.ts';

export interface ToolContext {
  readonly client: AgentClient;
  readonly session: Session;
  /** The session as it was when the turn was found. */
  readonly info: Result<'get_session'>;
  /** Identical for every attempt at the turn. */
  readonly turnKey: string;
  readonly budget: DelegationMeter | null;
}

/** Data to show to the model, or the end of the turn. */
export type ToolOutcome =
  | { readonly kind: 'shown'; readonly value: Json }
  | { readonly kind: 'ends'; readonly text: string; readonly route?: ToolCall };

export interface HubTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** `args` matches `parameters`. Errors become results for the model. */
  run(args: JsonObject, scene: ToolContext, signal: OwnSignal): Promise<ToolOutcome>;
}

export function shown(value: object): ToolOutcome {
  // Removes undefined members.
  return { kind: 'shown', value: JSON.parse(JSON.stringify(value)) as Json };
}

/** A rejection worded by the tool itself. */
export class ToolRefusal extends Error {}

/** An idempotency key, identical in every attempt at the turn. */
export function keyFor({ turnKey }: ToolContext, what: string, ...parts: readonly Json[]): string {
  return `${what} ${sha256(JSON.stringify([turnKey, ...parts]))}`;
}

/** An object schema; `required` lists the mandatory properties. */
export function parameters(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

export function textParameter(maxLength: number, description: string): JsonObject {
  return { type: 'string', minLength: 1, maxLength, description };
}
