/** The tools that can be set up: where each keeps its servers, and in what words. A new one is one record here. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../core/lib/json.ts';
import { type ConfigEditor, isObject, type Path } from './config-editor.ts';
import { jsonConfig } from './json-config.ts';
import { tomlConfig } from './toml-config.ts';

export const SCOPES = ['user', 'project'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where things are on this machine. */
export interface InstallPaths {
  readonly home: string;
  readonly project: string;
  /** The program that runs, for whoever shall start it. */
  readonly script: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a server is written down. */
export interface Entry {
  /** How it is started: what makes an entry ours, and what a second run sets right. */
  readonly start: JsonObject;
  /** What a new one has besides; whoever changes it keeps the change. */
  readonly usual: JsonObject;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly format: ConfigEditor;
  /** In what the snippets of the documents are written. */
  readonly language: 'json' | 'toml';
  file(scope: Scope, places: InstallPaths): string;
  /** Where the servers are, given what the file has at `mcp`. */
  servers(mcp: unknown): Path;
  entry(words: readonly string[], servers: Path): Entry;
  /** The words an entry starts, as far as it has any. */
  wordsOf(entry: Readonly<Record<string, unknown>>): readonly unknown[];
  /** The same with the tool's own command, where it has one. */
  command(key: string, words: readonly string[], scope: Scope): string | null;
  /** What is left to do. */
  readonly next: string;
}

/** Long enough for `wait_turn`, which answers within 25 s. */
const PATIENCE_MS = 60_000;

const common = {
  format: jsonConfig,
  language: 'json',
  servers: () => ['mcpServers'],
  entry: ([command = '', ...args]: readonly string[]): Entry => ({ start: { command, args }, usual: {} }),
  wordsOf: ({ command, args }: Readonly<Record<string, unknown>>) => [command, ...(Array.isArray(args) ? args : [])],
} as const;

const claude: Tool = {
  ...common,
  name: 'claude',
  title: 'Claude Code',
  file: (scope, { home, project, env }) =>
    scope === 'project' ? join(project, '.mcp.json') : join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
  entry: ([command = '', ...args]) => ({ start: { type: 'stdio', command, args }, usual: {} }),
  command: (key, words, scope) => `claude mcp add --scope ${scope} ${key} -- ${shellWords(words)}`,
  next: 'Start claude anew; "/mcp" in it shows the server. One of a project asks for your approval first.',
};

const codex: Tool = {
  ...common,
  name: 'codex',
  title: 'Codex',
  format: tomlConfig,
  language: 'toml',
  servers: () => ['mcp_servers'],
  file: (scope, { home, project, env }) =>
    join(scope === 'project' ? join(project, '.codex') : env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
  command: (key, words, scope) => (scope === 'project' ? null : `codex mcp add ${key} -- ${shellWords(words)}`),
  next: 'Start codex anew; "codex mcp list" shows the server. Codex reads the file of a project only where it trusts the project.',
};

const cursor: Tool = {
  ...common,
  name: 'cursor',
  title: 'Cursor',
  file: (scope, { home, project }) => join(scope === 'project' ? project : home, '.cursor', 'mcp.json'),
  command: () => null,
  next: 'Start Cursor anew, and switch the server on in its settings, under MCP.',
};

const gemini: Tool = {
  ...common,
  name: 'gemini',
  title: 'Gemini CLI',
  file: (scope, { home, project, env }) =>
    join(scope === 'project' ? project : env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'),
  command: (key, words, scope) => `gemini mcp add --scope ${scope} ${key} ${shellWords(words)}`,
  next: 'Start gemini anew; "/mcp" in it shows the server. It starts servers only in folders it trusts.',
};

const opencode: Tool = {
  ...common,
  name: 'opencode',
  title: 'opencode',
  file: (scope, { home, project, env }) => {
    const folder = scope === 'project' ? project : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
    // Both are read; what is in the one with comments counts.
    const commented = join(folder, 'opencode.jsonc');
    return existsSync(commented) ? commented : join(folder, 'opencode.json');
  },
  // Its second version has the servers one level deeper. A server of that name would have a type.
  servers: (mcp) => (isObject(mcp) && isObject(mcp.servers) && !('type' in mcp.servers) ? ['mcp', 'servers'] : ['mcp']),
  entry: (words, servers) => ({
    start: { type: 'local', command: words },
    usual: servers.length > 1 ? {} : { enabled: true, timeout: PATIENCE_MS },
  }),
  wordsOf: ({ command }) => (Array.isArray(command) ? command : []),
  command: () => null,
  next: 'Start opencode anew; "opencode mcp list" shows the server.',
};

export const TOOLS: readonly Tool[] = [claude, codex, cursor, gemini, opencode];

function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
