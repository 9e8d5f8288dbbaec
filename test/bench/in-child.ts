/** Runs a script of this folder in its own process, with cold caches and its own heap. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Returns the last line of its output, parsed; passes on stderr. */
export async function inChild<T>(
  script: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<T> {
  const path = fileURLToPath(new URL(`./${script}.js`, import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${script} ended with code ${code}`);
  // The scripts of this folder end with one line of JSON.
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as T;
}
