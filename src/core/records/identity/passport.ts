/** Self-declared identity data. Readable records never contain credentials. */

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
