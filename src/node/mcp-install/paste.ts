/** The same set-up by hand: what to paste, where, and the tool's own command for it. */

import type { Request } from '../../mcp/install/request.ts';

export interface Paste {
  readonly tool: string;
  readonly file: string;
  readonly language: 'json' | 'toml';
  readonly snippet: string;
  /** null = the tool has none. */
  readonly command: string | null;
}

export function pasteOf({ tool, scope, key, file, words }: Request): Paste {
  const servers = tool.servers(undefined);
  const { start, usual } = tool.entry(words, servers);
  const snippet = tool.format.alone([...servers, key], { ...start, ...usual });
  return { tool: tool.name, file, language: tool.language, snippet, command: tool.command(key, words, scope) };
}

export function pasteLines({ tool: { title, next } }: Request, { file, snippet, command }: Paste): string {
  const own = command === null ? [] : ['', 'or with its own command:', `  ${command}`];
  const lines = snippet
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
  return [`${title}: put this into ${file}`, '', ...lines, ...own, '', next].join('\n');
}
