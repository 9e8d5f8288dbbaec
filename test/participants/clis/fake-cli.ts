// A stand-in for a CLI: a real process that records its call and plays a script.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Actions, in order: write a line, raw text or to stderr; wait for a file, hang, exit. */
export type Act =
  | { readonly line: string | object }
  | { readonly raw: string }
  | { readonly err: string }
  | { readonly waitFor: string }
  | { readonly hang: true }
  | { readonly exit: number };

export interface Call {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Files among the arguments, with text and mode. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly mode: string }[];
}

export interface FakeCli {
  readonly command: string;
  readonly folder: string;
  /** One script per run; the last one repeats. */
  plays(...scripts: readonly (readonly Act[])[]): void;
  calls(): readonly Call[];
  /** Creates the file a `waitFor` waits for. */
  touch(name: string): void;
  remove(): void;
}

export function fakeCli(name = 'fake-cli'): FakeCli {
  const folder = mkdtempSync(join(tmpdir(), 'parley-fake-'));
  const command = join(folder, name);
  const callsFile = join(folder, 'calls.jsonl');
  writeFileSync(command, `#!${process.execPath}\n${program}`, { mode: 0o755 });
  return {
    command,
    folder,
    plays: (...scripts) => writeFileSync(join(folder, 'scripts.json'), JSON.stringify(scripts)),
    calls() {
      if (!existsSync(callsFile)) return [];
      const lines = readFileSync(callsFile, 'utf8').trimEnd().split('\n');
      return lines.map((line): Call => JSON.parse(line));
    },
    touch: (file) => writeFileSync(join(folder, file), ''),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const program = `
const fs = require('node:fs');
const path = require('node:path');
const at = (name) => path.join(__dirname, name);
const argv = process.argv.slice(2);
const stdin = fs.readFileSync(0, 'utf8');
const files = argv.filter((arg) => arg.startsWith('/') && fs.existsSync(arg) && fs.statSync(arg).isFile())
  .map((file) => ({ path: file, text: fs.readFileSync(file, 'utf8'), mode: (fs.statSync(file).mode & 0o777).toString(8) }));
fs.appendFileSync(at('calls.jsonl'), JSON.stringify({ argv, stdin, env: process.env, cwd: process.cwd(), files }) + '\\n');
const run = fs.readFileSync(at('calls.jsonl'), 'utf8').trimEnd().split('\\n').length - 1;
const scripts = JSON.parse(fs.readFileSync(at('scripts.json'), 'utf8'));
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
for (const act of scripts[Math.min(run, scripts.length - 1)]) {
  if ('line' in act) fs.writeSync(1, (typeof act.line === 'string' ? act.line : JSON.stringify(act.line)) + '\\n');
  if ('raw' in act) fs.writeSync(1, act.raw);
  if ('err' in act) fs.writeSync(2, act.err);
  if ('waitFor' in act) while (!fs.existsSync(at(act.waitFor))) pause(5);
  if ('hang' in act) pause(600000);
  if ('exit' in act) process.exit(act.exit);
}
`;
