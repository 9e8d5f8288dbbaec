/** Who is there, a page at a time, as tools show it. */

import type { HubCaller } from './hub-caller.ts';

const PAGE = 20;
const SUMMARY_CHARS = 300;
const MOST_CAPABILITIES = 20;

export interface PeerQuery {
  readonly capability?: string | undefined;
  readonly text?: string | undefined;
  /** Only who is connected now. */
  readonly connected?: boolean | undefined;
  readonly after?: string | undefined;
}

export interface PeerRow {
  readonly name: string;
  readonly kind: string;
  readonly connected: boolean;
  readonly you?: true;
  readonly capabilities: string[];
  readonly summary: string;
}

export async function findPeers(
  caller: HubCaller,
  { capability, text, connected, after }: PeerQuery,
): Promise<{ readonly peers: PeerRow[]; readonly next: string | null }> {
  const agentId = await caller.agentId;
  const bound = connected === true ? true : undefined;
  const page = await caller.call('find_agent', { capability, text, bound, after, limit: PAGE });
  // Those of single commands have nobody behind them.
  const agents = page.agents.filter(({ name }) => !name.startsWith('cli.'));
  const peers = agents.map(({ agent_id, name, kind, bound: isBound, resume }) => ({
    name,
    kind,
    connected: isBound,
    ...(agent_id === agentId ? { you: true as const } : {}),
    capabilities: resume.claimed_capabilities.slice(0, MOST_CAPABILITIES),
    summary: resume.summary.slice(0, SUMMARY_CHARS),
  }));
  return { peers, next: page.next };
}
