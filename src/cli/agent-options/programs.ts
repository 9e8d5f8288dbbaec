/** Finds programs that take turns: known agent CLIs by name, and any command line. */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { CliName } from '../../participants/clis/cli-agents.ts';
import { invalidValueError, notFoundError } from '../terminal/command-error.ts';

export const CLI_NAMES: readonly CliName[] = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'cursor-agent',
  'hermes',
  'aider',
  'goose',
];

/** Install commands, by name of the program. */
const INSTALL: Readonly<Record<string, string>> = {
  claude: 'npm install --global @anthropic-ai/claude-code',
  codex: 'npm install --global @openai/codex',
  gemini: 'npm install --global @google/gemini-cli',
  opencode: 'npm install --global opencode-ai',
  aider: 'python -m pip install aider-install && aider-install',
};

export async function requireProgram(command: string, path: string | undefined): Promise<void> {
  if (await exists(command, path ?? '')) return;
  const install = INSTALL[command];
  const hint =
    install === undefined
      ? 'Install it and add its folder to PATH, or give a path such as ./my-agent.'
      : `Install it with "${install}"; if it is installed, add its folder to PATH.`;
  const where = command.includes('/') ? 'no such program' : 'not found in PATH';
  throw notFoundError('no_program', `${command}: ${where}`, hint);
}

async function exists(command: string, path: string): Promise<boolean> {
  const places = command.includes('/')
    ? [command]
    : path.split(delimiter).map((folder) => join(folder || '.', command));
  const found = await Promise.all(places.map((place) => isProgram(place).catch(() => false)));
  return found.includes(true);
}

/** Exclude folders, which also have the execute permission. */
async function isProgram(place: string): Promise<boolean> {
  await access(place, constants.X_OK);
  return (await stat(place)).isFile();
}

const WORD = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy;

/** Splits a command line like a shell, without expansion. The first word is never empty. */
export function splitWords(line: string, option: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let end = 0;
  for (const [all, single, double, escaped, plain] of line.matchAll(WORD)) {
    end += all.length;
    const part = single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? escaped ?? plain;
    if (part !== undefined) word = (word ?? '') + part;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (end < line.length) throw invalidValueError(option, 'a command whose quotes are closed', line);
  if (word !== null) words.push(word);
  if ((words[0] ?? '').trim() === '') throw invalidValueError(option, 'a command, such as "my-agent --fast"', line);
  return words;
}
