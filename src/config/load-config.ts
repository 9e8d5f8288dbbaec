/** Reads a config file, expands its variables and checks it. Has no side effects. */

import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { type CommandError, notFoundError } from '../cli/terminal/command-error.ts';
import { isObject } from '../client/lib/option-checks.ts';
import { checkConfigValues } from './checks/check-values.ts';
import { configError, type Problem, type ReadResult, type Source, syntaxError } from './reading/location.ts';
import { createRedactor, expandVariables } from './reading/variables.ts';
import { checkShape } from './shape/check-shape.ts';
import type { Config, HubConfig } from './shape/config.ts';

export interface LoadedConfig {
  readonly file: string;
  readonly config: Config;
  readonly source: Source;
  /** Replaces secret values in a text by the names of their variables. */
  hide(text: string): string;
  /** Resolves a path relative to the file. */
  from(path: string): string;
}

/** The valid part of a config file, and its problems. */
interface ExaminedConfig {
  /** The valid parts. */
  readonly loaded: LoadedConfig;
  /** Problems visible without other files. */
  readonly problems: readonly Problem[];
  /** Names of all agents, valid or not. */
  readonly agentNames: readonly string[];
}

/** Throws a CommandError with all problems. */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const { loaded, problems } = await examineConfig(file, env);
  if (problems.length > 0) throw configError(loaded.source, problems, loaded.hide);
  return loaded;
}

/** Throws a CommandError only if the text cannot be parsed. */
export async function examineConfig(file: string, env: NodeJS.ProcessEnv): Promise<ExaminedConfig> {
  const source = await readSource(file);
  if ('slips' in source) throw syntaxError(file, source.slips);
  const { value, problems, taken } = expandVariables(withoutEmpty(source.value), env);
  const shaped = checkShape(value, source.value);
  const all: readonly Problem[] = [
    ...problems,
    // For an unset variable, do not report its missing value as well.
    ...('problems' in shaped ? shaped.problems : []).filter((one) => !isAbout(one, problems)),
    ...checkConfigValues(value, source.value, env).filter((one) => !isAbout(one, problems)),
  ];
  const hide = createRedactor(withKeys(value, taken));
  const from = (path: string): string => resolve(dirname(file), path);
  const config = 'config' in shaped && all.length === 0 ? shaped.config : validPart(value, source.value, all);
  const loaded = { file, config: withPaths(config, from), source, hide, from };
  const { agents } = isObject(value) ? value : { agents: null };
  return { loaded, problems: all, agentNames: isObject(agents) ? Object.keys(agents) : [] };
}

const BY_NAME: readonly PropertyKey[] = ['agents', 'roles', 'rules', 'schedules'];

/** Drops every agent, role, rule and schedule with a problem, so that the others can be checked further. */
function validPart(value: unknown, raw: unknown, problems: readonly Problem[]): Config {
  if (!isObject(value)) return {};
  const wrong = problems.map(({ path: [part = '', name] }) => ({
    part,
    name: BY_NAME.includes(part) ? name : undefined,
  }));
  const valid = Object.entries(value).flatMap(([part, members]) => {
    const names = wrong.flatMap((one) => (one.part === part ? [one.name] : []));
    if (names.includes(undefined)) return [];
    return [[part, isObject(members) ? without(members, names) : members] as const];
  });
  const shaped = checkShape(Object.fromEntries(valid), raw);
  return 'config' in shaped ? shaped.config : {};
}

function without(members: object, names: readonly (PropertyKey | undefined)[]): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function isAbout({ path }: Problem, problems: readonly Problem[]): boolean {
  return problems.some((one) => one.path.join('\0') === path.join('\0'));
}

/** Drops empty sections, such as `schedules:` without members. */
function withoutEmpty(value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null)) : value;
}

/** Adds API keys and other secrets written into the file to the values to hide. */
function withKeys(value: unknown, taken: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...keysIn(value).map((key) => [key, 'apiKey'] as const), ...taken]);
}

function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isSecretName(name) && typeof member === 'string' ? [member, member.replace(/^\w+ /, '')] : keysIn(member),
  );
}

function isSecretName(name: string): boolean {
  return name === 'apiKey' || /^(proxy-)?authorization$|^cookie$|api-key$|^x-.*(key|token|secret)$/i.test(name);
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

export const CONFIG_ENDINGS = ['json', 'yaml', 'yml', 'ts', 'js', 'mjs'] as const;

/** Reads the file according to its ending; an unknown ending as YAML, which includes JSON. */
async function readSource(file: string): Promise<Source | Extract<ReadResult, { readonly slips: unknown }>> {
  const bytes = await readFile(file).catch((thrown: NodeJS.ErrnoException) => {
    throw unreadable(file, thrown);
  });
  if (isUtf16(bytes)) return { slips: [{ location: null, problem: 'expected UTF-8, got UTF-16; save it as UTF-8' }] };
  const read = await readText(file, bytes.toString('utf8').replace(/^\ufeff/, ''));
  return 'slips' in read ? read : { file, ...read };
}

async function readText(file: string, text: string): Promise<ReadResult> {
  const ending = extname(file);
  if (/^\.[cm]?[jt]s$/.test(ending)) return (await import('./reading/read-module.ts')).readModule(file);
  if (ending === '.json') return (await import('./reading/read-json.ts')).readJson(text);
  return (await import('./reading/read-yaml.ts')).readYaml(text);
}

/** Detects the byte order mark, or a zero byte in the first character. */
function isUtf16([first, second]: Uint8Array): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (second !== undefined && (first === 0) !== (second === 0));
}

function unreadable(file: string, thrown: NodeJS.ErrnoException): CommandError {
  const why = thrown.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${thrown.message}`;
  const hint = `Pass a file that ends in .${CONFIG_ENDINGS.join(', .')}.`;
  return notFoundError('no_file', `--config: ${file} ${why}`, hint);
}
