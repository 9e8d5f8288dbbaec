/** Builds and recognises the command with which a tool starts `parley mcp`. */

import { access, constants, realpath } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';

export interface ServerSettings {
  readonly name: string;
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly data: string | undefined;
  readonly ca: string | undefined;
  readonly maxWait: string | undefined;
  readonly capabilities: readonly string[];
  readonly summary: string | undefined;
}

export function serverCommand(command: readonly string[], settings: ServerSettings): readonly string[] {
  const { name, url, tokenFile, data, ca, maxWait, capabilities, summary } = settings;
  const given = { name, url, 'token-file': tokenFile, data, ca, 'max-wait': maxWait, summary };
  const options = Object.entries(given).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, value],
  );
  const can = capabilities.flatMap((one) => ['--capability', one]);
  return [...command, 'mcp', ...options, ...can];
}

/** `parley` if PATH resolves it to this program; otherwise Node and the path of the script. */
export async function ownCommand(script: string, path: string): Promise<readonly string[]> {
  const own = await realpath(script);
  for (const folder of path.split(delimiter).filter((one) => one !== '')) {
    const found = join(folder, 'parley');
    const isRunnable = await access(found, constants.X_OK).then(
      () => true,
      () => false,
    );
    // The tool would start the first `parley` in PATH.
    if (isRunnable) return (await realpath(found)) === own ? ['parley'] : [process.execPath, own];
  }
  return [process.execPath, own];
}

const PROGRAM = /^parley(?:\.\w+)?$/;
/** The script: `main.js`, formerly `cli.js`. Other programs use these names too. */
const SCRIPT = /^(cli|main)\.[cm]?[jt]s$/;

/** Any entry that starts `parley mcp` is ours. */
export function isParleyCommand(words: readonly string[]): boolean {
  const at = words.indexOf('mcp');
  if (at < 1 || words[at + 1] === 'install') return false;
  const program = basename((words[at - 1] ?? '').replaceAll('\\', '/'));
  return PROGRAM.test(program) || (SCRIPT.test(program) && words.slice(at).some((word) => /^--name(=|$)/.test(word)));
}
