/** What an implementation says of itself, and how it is asked. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMembers, type Members } from '../../../node/conformance/members.ts';

export const CAPABILITIES = '.agentxchain-conformance/capabilities.json';

interface Claims {
  readonly implementation: string;
  readonly protocolVersion: string | null;
  readonly tiers: readonly number[];
  /** null = it does not say. */
  readonly surfaces: Members | null;
}

/** A folder whose command is run, once for each fixture. */
export interface LocalTarget extends Claims {
  readonly kind: 'local';
  readonly root: string;
  readonly command: readonly [string, ...string[]];
}

/** An address, with a request for each fixture. */
export interface RemoteTarget extends Claims {
  readonly kind: 'remote';
  /** Without a slash at its end. */
  readonly url: string;
  /** null = it is asked without. */
  readonly token: string | null;
}

export type Target = LocalTarget | RemoteTarget;

/** A text says what is wrong with what it says. */
export async function readTarget(root: string): Promise<LocalTarget | string> {
  let given: unknown;
  try {
    given = JSON.parse(await readFile(join(root, CAPABILITIES), 'utf8'));
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  return targetOf(root, given);
}

export function targetOf(root: string, given: unknown): LocalTarget | string {
  const claims = claimsOf(given, 'stdio-fixture-v1');
  if (typeof claims === 'string') return claims;
  const { command } = claims.adapter;
  if (!isCommand(command)) return 'adapter.command: expected a program and its arguments';
  const { adapter: _, ...claimed } = claims;
  return { kind: 'local', root, command, ...claimed };
}

export function claimsOf(given: unknown, protocol: string): (Claims & { readonly adapter: Members }) | string {
  if (!isMembers(given)) return 'expected an object';
  const { implementation, protocol_version, tiers, adapter, surfaces } = given;
  if (typeof implementation !== 'string' || implementation.trim() === '') return 'implementation: expected a name';
  if (!Array.isArray(tiers) || tiers.length === 0 || !tiers.every((tier) => [1, 2, 3].includes(tier))) {
    return 'tiers: expected an array of 1, 2 and 3';
  }
  if (!isMembers(adapter)) return 'adapter: expected an object';
  if (adapter.protocol !== protocol) return `adapter.protocol: expected "${protocol}"`;
  const protocolVersion = typeof protocol_version === 'string' ? protocol_version : null;
  return { implementation, protocolVersion, tiers, adapter, surfaces: isMembers(surfaces) ? surfaces : null };
}

/** May it be asked for this surface alone? One that does not list its surfaces may be asked for any. */
export function claims({ surfaces }: Target, surface: string): boolean {
  return surfaces === null || (Object.hasOwn(surfaces, surface) && Boolean(surfaces[surface]));
}

function isCommand(command: unknown): command is readonly [string, ...string[]] {
  return Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string');
}
