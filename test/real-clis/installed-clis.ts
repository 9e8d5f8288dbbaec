/** Installs the real CLIs from the npm registry into a folder outside the repository: once, some hundred MB each. */

import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withoutNpm } from '../package/repository.ts';

const run = promisify(execFile);

/** Set PARLEY_CLIS to use another folder. */
export const CLI_FOLDER: string = process.env.PARLEY_CLIS || join(tmpdir(), 'parley-clis');

const PLATFORM = `${process.platform}-${process.arch}`;

/** The tested versions. */
const CLIS = {
  // The platform package: its wrapper requires a newer Node.
  claude: {
    package: `@anthropic-ai/claude-code-${PLATFORM}`,
    version: '2.1.325',
    bin: `@anthropic-ai/claude-code-${PLATFORM}/claude`,
  },
  codex: { package: '@openai/codex', version: '0.166.0', bin: '.bin/codex' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', bin: '.bin/gemini' },
  opencode: { package: 'opencode-ai', version: '1.18.33', bin: '.bin/opencode' },
  conformance: {
    package: '@modelcontextprotocol/conformance',
    version: '0.1.16',
    bin: '@modelcontextprotocol/conformance/dist/index.js',
  },
  // The suite requires a newer Node than this project.
  node: { package: `node-${PLATFORM}`, version: '22.23.3', bin: `node-${PLATFORM}/bin/node` },
} as const;

export type CliName = keyof typeof CLIS;

/** The path of the program, which is installed if missing. */
export async function installed(name: CliName): Promise<string> {
  const { package: wanted, version, bin } = CLIS[name];
  const folder = join(CLI_FOLDER, `${name}-${version}`);
  const path = join(folder, 'node_modules', bin);
  if (await isThere(path)) return path;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private": true}\n');
  await run('npm', ['install', '--no-audit', '--no-fund', `${wanted}@${version}`], { cwd: folder, env: withoutNpm() });
  return path;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
