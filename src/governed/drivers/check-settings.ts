/** Finds faults in the runtime settings of roles, without starting programs or calling services. */

import type { z } from 'zod';
import { type GovernedConfig, runtimeOf, runtimeType } from '../engine/index.ts';
import { getOwn, without } from '../engine/lib/unknown-record.ts';
import { API_PROXY } from './api-proxy-settings.ts';
import { settingsFaults } from './attempt/settings.ts';
import { LOCAL_CLI } from './local-cli-program.ts';
import { MANUAL } from './manual.ts';
import { MCP } from './mcp-connect.ts';
import { REMOTE_AGENT } from './remote-agent.ts';

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['manual', MANUAL],
  ['local_cli', LOCAL_CLI],
  ['api_proxy', API_PROXY],
  ['mcp', MCP],
  ['remote_agent', REMOTE_AGENT],
]);

/** Skips roles for which `isElsewhere` is true, because participants hold them. */
export function driverFaults(config: GovernedConfig, isElsewhere: (role: string) => boolean): readonly string[] {
  const roles = Object.keys(config.roles).filter((role) => !isElsewhere(role));
  const runtimes = new Set(roles.map((role) => runtimeOf(config, role)));
  return [...new Set([...runtimes].flatMap((id) => faultsOf(config, id)))];
}

function faultsOf(config: GovernedConfig, runtimeId: string): readonly string[] {
  const type = runtimeType(config, runtimeId);
  const schema = SCHEMAS.get(type);
  if (schema !== undefined) {
    return settingsFaults(schema, { settings: without(getOwn(config.runtimes, runtimeId) ?? {}, 'type'), runtimeId });
  }
  const custom = getOwn(config.adapters, type);
  if (custom === undefined) return [unknownType(config, runtimeId, type)];
  return typeof custom.module === 'string' ? [] : [noModule(type)];
}

export function unknownType({ adapters = {} }: GovernedConfig, runtimeId: string, type: string): string {
  const known = [...SCHEMAS.keys(), ...Object.keys(adapters)].join(', ');
  return `runtimes.${runtimeId}.type: expected one of ${known}, got ${type}`;
}

export function noModule(name: string): string {
  return `adapters.${name}.module: expected the path of a module`;
}
