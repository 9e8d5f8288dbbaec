/** Whether a program is there before anybody counts on it, and how to come by it. */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Trouble } from '../terminal/command-error.ts';

/** By what is typed after `--cli`. */
const INSTALL: Readonly<Record<string, string>> = {
  claude: 'npm install --global @anthropic-ai/claude-code',
  codex: 'npm install --global @openai/codex',
  gemini: 'npm install --global @google/gemini-cli',
  opencode: 'npm install --global opencode-ai',
  aider: 'python -m pip install aider-install && aider-install',
};

export async function requireProgram(command: string, path: string | undefined): Promise<void> {
  if (await isThere(command, path ?? '')) return;
  const install = INSTALL[command];
  const hint =
    install === undefined
      ? 'Is it installed, and is its folder in PATH? A path such as ./my-agent works too.'
      : `Install it with "${install}"; if it is installed, put its folder in PATH.`;
  const where = command.includes('/') ? 'there is no program' : 'it is in no folder of PATH';
  throw new Trouble('notFound', 'no_program', `${command}: ${where}`, hint);
}

async function isThere(command: string, path: string): Promise<boolean> {
  const places = command.includes('/')
    ? [command]
    : path.split(delimiter).map((folder) => join(folder || '.', command));
  const found = await Promise.all(places.map((place) => isProgram(place).catch(() => false)));
  return found.includes(true);
}

/** A folder may be entered, which is the same right as to run a file. */
async function isProgram(place: string): Promise<boolean> {
  await access(place, constants.X_OK);
  return (await stat(place)).isFile();
}
