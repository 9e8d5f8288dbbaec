/** Lists the supported tools: the file, path and form of their server entries. To add a tool, add a record. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../core/lib/json.ts';
import { type ConfigEditor, isObject, type Path } from './config-editor.ts';
import { jsonConfig } from './json-config.ts';
import { tomlConfig } from './toml-config.ts';

export const SCOPES = ['user', 'project'] as const;
export type Scope = (typeof SCOPES)[number];

export interface InstallPaths {
  readonly home: string;
  readonly project: string;
  /** Path of the running Parley script, for the entry's command. */
  readonly script: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Entry {
  /** Start command: identifies our entries; a second run corrects it. */
  readonly start: JsonObject;
  /** Defaults of a new entry; a second run keeps the user's edits. */
  readonly usual: JsonObject;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly format: ConfigEditor;
  readonly language: 'json' | 'toml';
  file(scope: Scope, places: InstallPaths): string;
  /** Path of the server entries, given the file's value at `mcp`. */
  servers(mcp: unknown): Path;
  entry(words: readonly string[], servers: Path): Entry;
  wordsOf(entry: Readonly<Record<string, unknown>>): readonly unknown[];
  /** The tool's own command that adds the entry; null if the tool has none. */
  command(key: string, words: readonly string[], scope: Scope): string | null;
  readonly next: string;
}

/** Tool timeout: longer than `wait_turn`, which answers within 25 s. */
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
  next: 'Restart claude; "/mcp" shows the server. Project servers ask for your approval first.',
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
  next: 'Restart codex; "codex mcp list" shows the server. Codex reads project files only in trusted projects.',
};

const cursor: Tool = {
  ...common,
  name: 'cursor',
  title: 'Cursor',
  file: (scope, { home, project }) => join(scope === 'project' ? project : home, '.cursor', 'mcp.json'),
  command: () => null,
  next: 'Restart Cursor and enable the server in its settings, under MCP.',
};

const gemini: Tool = {
  ...common,
  name: 'gemini',
  title: 'Gemini CLI',
  file: (scope, { home, project, env }) =>
    join(scope === 'project' ? project : env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'),
  command: (key, words, scope) => `gemini mcp add --scope ${scope} ${key} ${shellWords(words)}`,
  next: 'Restart gemini; "/mcp" shows the server. It starts servers only in trusted folders.',
};

const opencode: Tool = {
  ...common,
  name: 'opencode',
  title: 'opencode',
  file: (scope, { home, project, env }) => {
    const folder = scope === 'project' ? project : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
    // opencode reads both files; opencode.jsonc takes precedence.
    const commented = join(folder, 'opencode.jsonc');
    return existsSync(commented) ? commented : join(folder, 'opencode.json');
  },
  // Version 2 nests the servers one level deeper. A version 1 server named "servers" has a `type`.
  servers: (mcp) => (isObject(mcp) && isObject(mcp.servers) && !('type' in mcp.servers) ? ['mcp', 'servers'] : ['mcp']),
  entry: (words, servers) => ({
    start: { type: 'local', command: words },
    usual: servers.length > 1 ? {} : { enabled: true, timeout: PATIENCE_MS },
  }),
  wordsOf: ({ command }) => (Array.isArray(command) ? command : []),
  command: () => null,
  next: 'Restart opencode; "opencode mcp list" shows the server.',
};

export const TOOLS: readonly Tool[] = [claude, codex, cursor, gemini, opencode];

function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
