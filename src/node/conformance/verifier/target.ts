/** What an implementation says of itself, and how it is asked. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMembers } from '../members.ts';

export const CAPABILITIES = '.agentxchain-conformance/capabilities.json';

export interface Target {
  readonly root: string;
  readonly implementation: string;
  readonly protocolVersion: string | null;
  readonly tiers: readonly number[];
  readonly command: readonly [string, ...string[]];
  /** null = it does not say. */
  readonly surfaces: Readonly<Record<string, unknown>> | null;
}

/** A text says what is wrong with what it says. */
export async function readTarget(root: string): Promise<Target | string> {
  let given: unknown;
  try {
    given = JSON.parse(await readFile(join(root, CAPABILITIES), 'utf8'));
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  return targetOf(root, given);
}

export function targetOf(root: string, given: unknown): Target | string {
  if (!isMembers(given)) return 'expected an object';
  const { implementation, protocol_version, tiers, adapter, surfaces } = given;
  if (typeof implementation !== 'string' || implementation.trim() === '') return 'implementation: expected a name';
  if (!Array.isArray(tiers) || tiers.length === 0 || !tiers.every((tier) => [1, 2, 3].includes(tier))) {
    return 'tiers: expected an array of 1, 2 and 3';
  }
  if (!isMembers(adapter)) return 'adapter: expected an object';
  if (adapter.protocol !== 'stdio-fixture-v1') return 'adapter.protocol: expected "stdio-fixture-v1"';
  const { command } = adapter;
  if (!isCommand(command)) return 'adapter.command: expected a program and its arguments';
  const protocolVersion = typeof protocol_version === 'string' ? protocol_version : null;
  return { root, implementation, protocolVersion, tiers, command, surfaces: isMembers(surfaces) ? surfaces : null };
}

function isCommand(command: unknown): command is readonly [string, ...string[]] {
  return Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string');
}
