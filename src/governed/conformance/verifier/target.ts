/** Reads a target: its claims, and how to reach it as a command or over HTTP (http-fixture-v1). */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMembers, type Members } from '../fixture.ts';
import { parseJson, request, said } from './request.ts';

export const CAPABILITIES = '.agentxchain-conformance/capabilities.json';

interface Claims {
  readonly implementation: string;
  readonly protocolVersion: string | null;
  readonly tiers: readonly number[];
  readonly surfaces: Members | null;
}

/** A target that runs a command once per fixture. */
export interface LocalTarget extends Claims {
  readonly kind: 'local';
  readonly root: string;
  readonly command: readonly [string, ...string[]];
}

/** A target that requests a URL once per fixture. */
export interface RemoteTarget extends Claims {
  readonly kind: 'remote';
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string | null;
}

export type Target = LocalTarget | RemoteTarget;

/** Returns the error as a string if the target cannot be read. */
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

function claimsOf(given: unknown, protocol: string): (Claims & { readonly adapter: Members }) | string {
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

/** A target that lists no surfaces claims all of them. */
export function claims({ surfaces }: Target, surface: string): boolean {
  return surfaces === null || (Object.hasOwn(surfaces, surface) && Boolean(surfaces[surface]));
}

function isCommand(command: unknown): command is readonly [string, ...string[]] {
  return Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string');
}

interface Unusable {
  readonly kind: 'unusable';
  readonly why: 'unreachable' | 'not_allowed' | 'wrong';
  readonly message: string;
}

/** Removes trailing slashes; returns null if the URL cannot be a target. */
export function remoteUrl(given: string): string | null {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  // Reject credentials, which leak into logs, and a query or hash, because paths are appended to the URL.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null;
  return url.href.replace(/\/+$/, '');
}

export async function readRemote(
  url: string,
  token: string | null,
  timeoutMs: number,
): Promise<RemoteTarget | Unusable> {
  const came = await request(`${url}/conform/capabilities`, { token, timeoutMs });
  if (came.kind !== 'response') return unusable('unreachable', came.message);
  if (came.status === 401 || came.status === 403) return unusable('not_allowed', said(came));
  if (came.status !== 200) return unusable('wrong', said(came));
  const claims = claimsOf(parseJson(came.text), 'http-fixture-v1');
  if (typeof claims === 'string') return unusable('wrong', claims);
  const { adapter: _, ...claimed } = claims;
  return { kind: 'remote', url, token, ...claimed };
}

function unusable(why: Unusable['why'], message: string): Unusable {
  return { kind: 'unusable', why, message };
}
