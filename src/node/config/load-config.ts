/** A config file, from its path to what is meant: read, variables put in, checked. Nothing of it is carried out here. */

import { dirname, resolve } from 'node:path';
import { isObject } from '../../client/given.ts';
import { checkShape } from './check-shape.ts';
import type { Config, HubConfig } from './config.ts';
import { fittingProblems } from './fitting.ts';
import { configTrouble, type Problem, slipTrouble } from './problems.ts';
import { readSource, type Source } from './source.ts';
import { expandVariables, hiding } from './variables.ts';

export interface LoadedConfig {
  readonly file: string;
  readonly config: Config;
  readonly source: Source;
  /** Puts the names of variables back where their values would be shown. */
  hide(text: string): string;
  /** Paths in a file are meant from where the file is. */
  from(path: string): string;
}

/** Throws a Trouble with everything that is wrong. */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const source = await readSource(file);
  if ('slips' in source) throw slipTrouble(file, source.slips);
  const { value, problems, taken } = expandVariables(source.value, env);
  const shaped = checkShape(value, source.value);
  const all: readonly Problem[] = [
    ...problems,
    // One whose variable is not set is said to be so, and not to be empty too.
    ...('problems' in shaped ? shaped.problems : []).filter((one) => !isAbout(one, problems)),
    ...fittingProblems(value, source.value, env).filter((one) => !isAbout(one, problems)),
  ];
  const hide = hiding(withKeys(value, taken));
  if (all.length > 0 || 'problems' in shaped) throw configTrouble(source, all, hide);
  const from = (path: string): string => resolve(dirname(file), path);
  return { file, config: withPaths(shaped.config, from), source, hide, from };
}

function isAbout({ path }: Problem, problems: readonly Problem[]): boolean {
  return problems.some((one) => one.path.join('\0') === path.join('\0'));
}

/** Keys that are written into the file are as secret as those that are not. */
function withKeys(value: unknown, taken: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...keysIn(value).map((key) => [key, 'apiKey'] as const), ...taken]);
}

function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'apiKey' && typeof member === 'string' ? [member] : keysIn(member),
  );
}

function withPaths(config: Config, from: (path: string) => string): Config {
  const { hub } = config;
  return hub === undefined ? config : { ...config, hub: hubPaths(hub, from) };
}

function hubPaths(hub: HubConfig, from: (path: string) => string): HubConfig {
  const { data, tls, auth } = hub;
  const jwt = auth?.jwt;
  return {
    ...hub,
    ...(data === undefined ? {} : { data: from(data) }),
    ...(tls === undefined ? {} : { tls: { cert: from(tls.cert), key: from(tls.key) } }),
    ...(jwt === undefined || /^https?:/.test(jwt.jwks)
      ? {}
      : { auth: { ...auth, jwt: { ...jwt, jwks: from(jwt.jwks) } } }),
  };
}
