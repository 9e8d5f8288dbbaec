/** Resolves the arguments of `parley mcp install`: the tool, its file, and the command of its entry. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { dataFolder, hubUrl } from '../../cli/connecting/hub-target.ts';
import type { CommandArgs } from '../../cli/terminal/command.ts';
import { CommandError, invalidValueError } from '../../cli/terminal/command-error.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { operatorTokenFile } from '../../server/auth/operator-token.ts';
import { parseWait, WAIT_EXPECTED } from '../tools/wait-for.ts';
import { isThere } from './config-file.ts';
import { ownEntry, serversIn } from './plan.ts';
import { ownCommand, serverCommand } from './server-command.ts';
import type { InstallPaths, Scope, Tool } from './tools.ts';

export interface Request {
  readonly tool: Tool;
  readonly scope: Scope;
  readonly key: string;
  readonly file: string;
  readonly words: readonly string[];
  /** A token to write to a separate file, which `words` refers to. */
  readonly secret: { readonly file: string; readonly token: string } | null;
  readonly isUnproven: boolean;
}

/** A bare TOML key that every tool accepts as a server name. */
const KEY = /^[A-Za-z0-9_-]{1,64}$/;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export async function resolveRequest(
  tool: Tool,
  asked: CommandArgs,
  io: Pick<Io, 'env'>,
  places: InstallPaths,
): Promise<Request> {
  const { values } = asked;
  // The option parser has validated it.
  const scope = (values.scope ?? 'user') as Scope;
  const key = entryKey(asked);
  const file = tool.file(scope, places);
  const { settings: kept, capabilities } = await existingSettings(tool, key, file);
  const name = values.name ?? (io.env.PARLEY_NAME || kept.name || tool.name);
  if (!NAME.test(name) || name === 'hub') {
    const expected = 'a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)';
    throw invalidValueError('--name', expected, name);
  }
  const url = values.url !== undefined || io.env.PARLEY_URL ? hubUrl(asked, io) : kept.url;
  // Reuse a stored token only for the hub it was stored for.
  const known = url === kept.url ? kept : {};
  const proof = await proofOf(asked, io, secretFile(tool, scope, key, places), known);
  const ca = values.ca ?? (io.env.PARLEY_CA || kept.ca);
  const words = serverCommand(await ownCommand(places.script, io.env.PATH ?? ''), {
    name,
    url,
    ca: ca === undefined ? undefined : resolve(ca),
    maxWait: maxWaitOf(values['max-wait']) ?? kept['max-wait'],
    summary: values.summary ?? kept.summary,
    capabilities: asked.lists.capability ?? capabilities,
    ...proof.settings,
  });
  return { tool, scope, key, file, words, secret: proof.secret, isUnproven: proof.isUnproven };
}

/** Name of the server in the tool's file. */
export function entryKey({ values: { entry = 'parley' } }: Pick<CommandArgs, 'values'>): string {
  // JSON readers treat __proto__ specially.
  if (KEY.test(entry) && entry !== '__proto__') return entry;
  throw invalidValueError('--entry', 'a name of A-Z a-z 0-9 _ - (1 to 64 characters), and not __proto__', entry);
}

function maxWaitOf(given: string | undefined): string | undefined {
  if (given === undefined || parseWait(given) !== null) return given;
  throw invalidValueError('--max-wait', WAIT_EXPECTED, given, 'For example: --max-wait 50s');
}

/** Token file of an entry: one per entry, so that both are deleted together. */
export function secretFile({ name }: Tool, scope: Scope, key: string, { home, project, env }: InstallPaths): string {
  const of = createHash('sha256').update(project).digest('hex').slice(0, 12);
  const where = scope === 'user' ? 'user' : `project-${of}`;
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'parley', 'mcp', `${name}.${key}.${where}.token`);
}

/** Precedence: options and environment, then the existing entry (so that a second run keeps its token), then defaults. */
async function proofOf(asked: CommandArgs, io: Pick<Io, 'env'>, file: string, kept: SettingValues) {
  const { values } = asked;
  const token = values.token ?? (io.env.PARLEY_TOKEN || undefined);
  if (token !== undefined) assertToken(token);
  if (token !== undefined) return { ...byFile(file), secret: { file, token } } as const;
  const given = values['token-file'];
  if (given !== undefined) return byFile(resolve(given));
  const own = kept['token-file'];
  if (values.data === undefined && own !== undefined && (await isThere(own))) return byFile(own);
  const usual = resolve(dataFolder(asked, io));
  if (await isThere(operatorTokenFile(usual))) return byData(usual, false);
  if (values.data === undefined && kept.data !== undefined && (await isThere(operatorTokenFile(kept.data)))) {
    return byData(kept.data, false);
  }
  const isSaid = values.data !== undefined || Boolean(io.env.PARLEY_DATA);
  return byData(isSaid ? usual : undefined, true);
}

/** Throws if the token does not fit into one header line. The error does not show the token. */
function assertToken(token: string): void {
  if (/^[!-~]+$/.test(token)) return;
  const problem =
    '--token (or PARLEY_TOKEN): expected one word of letters, digits and signs; got spaces, line breaks or an empty value';
  throw new CommandError('wrong', 'wrong_value', problem, 'Make one with "parley token create --name <name>".');
}

function byFile(tokenFile: string) {
  return { settings: { tokenFile, data: undefined }, secret: null, isUnproven: false } as const;
}

function byData(data: string | undefined, isUnproven: boolean) {
  return { settings: { tokenFile: undefined, data }, secret: null, isUnproven } as const;
}

/** Values by option name without dashes; the last one if an option is repeated. */
type SettingValues = Readonly<Record<string, string>>;

interface ExistingSettings {
  readonly settings: SettingValues;
  readonly capabilities: readonly string[];
}

const NOTHING: ExistingSettings = { settings: {}, capabilities: [] };

/** Reads the options of the existing entry. Ignores an unreadable file: the later change reports it. */
async function existingSettings(tool: Tool, key: string, file: string): Promise<ExistingSettings> {
  try {
    const text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
    const entry = ownEntry(tool, text, [...serversIn(tool, text), key]);
    return entry === undefined ? NOTHING : optionsIn(tool.wordsOf(entry).map(String));
  } catch {
    return NOTHING;
  }
}

/** Parses `--name reviewer` and `--name=reviewer` after `mcp`. */
function optionsIn(words: readonly string[]): ExistingSettings {
  const settings: Record<string, string> = {};
  const capabilities: string[] = [];
  const given = words.slice(words.indexOf('mcp') + 1);
  for (const [i, word] of given.entries()) {
    const [, option, joined] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const value = joined ?? given[i + 1];
    if (option === undefined || value === undefined) continue;
    if (option === 'capability') capabilities.push(value);
    else settings[option] = value;
  }
  return { settings, capabilities };
}
