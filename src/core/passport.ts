/** Who an agent says it is. Credentials are never in a record that can be read back. */

import { z } from 'zod';
import { type Schema, schemaOf, text } from './schema.ts';

export type AgentKind = 'agent' | 'human' | 'remote_agent';

export interface PassportClaim {
  readonly name: string;
  readonly kind?: AgentKind | undefined;
  readonly owner?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly cost?: string | undefined;
  readonly region?: string | undefined;
}

export interface Passport {
  readonly agent_id: string;
  readonly name: string;
  readonly kind: AgentKind;
  readonly owner: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly cost: string | null;
  readonly region: string | null;
  readonly created_at: string;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Names nobody can take, because they would read as the hub's. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['hub']);

export const agentName: z.ZodType<string> = z
  .string({ error: 'a name' })
  .regex(NAME, 'a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)')
  .refine((name) => !RESERVED_NAMES.has(name), 'another name: "hub" is the hub itself');

export const passportClaim: z.ZodType<PassportClaim> = z.object({
  name: agentName,
  kind: z.enum(['agent', 'human', 'remote_agent'], { error: 'agent, human or remote_agent' }).optional(),
  owner: text(256).optional(),
  provider: text(256).optional(),
  model: text(256).optional(),
  cost: text(256).optional(),
  region: text(256).optional(),
});

const claimSchema: Schema<PassportClaim> = schemaOf(passportClaim);

export function parsePassportClaim(value: unknown): PassportClaim {
  return claimSchema.parse(value, 'passport');
}

export function passportFrom(claim: PassportClaim, agentId: string, createdAt: string): Passport {
  return {
    agent_id: agentId,
    name: claim.name,
    kind: claim.kind ?? 'agent',
    owner: claim.owner ?? null,
    provider: claim.provider ?? null,
    model: claim.model ?? null,
    cost: claim.cost ?? null,
    region: claim.region ?? null,
    created_at: createdAt,
  };
}
