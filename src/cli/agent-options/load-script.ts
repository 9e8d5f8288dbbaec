/** Loads a script for `parley join --script`: a module with a function or a list of answers, or a JSON list. */

import { access, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asError } from '../../core/lib/errors.ts';
import type { AgentFn } from '../../participants/agent/agent-fn.ts';
import { createScriptAdapter, type Script } from '../../participants/agent/script.ts';
import { CommandError, notFoundError, usageError } from '../terminal/command-error.ts';
import { loadGuarded } from '../terminal/load-guarded.ts';

const HINT = 'Expected "export default async (ctx, systemPrompt, turn) => …", or a list of answers.';

/** `where`: the option or setting that named the file. */
export async function loadScript(file: string, where = '--script'): Promise<AgentFn> {
  if (/\.[cm]?tsx?$/.test(file)) throw typed(file, where);
  await access(file).catch((thrown: unknown) => {
    throw missing(file, where, thrown);
  });
  const script = await (file.endsWith('.json') ? readList(file) : loadGuarded(file, () => importDefault(file))).catch(
    (thrown: unknown) => {
      throw broken(file, where, asError(thrown));
    },
  );
  if (typeof script !== 'function' && !isAnswers(script)) {
    const message = `${where}: ${file}: expected a function or a list of answers as its default export`;
    throw usageError('bad_script', message, HINT);
  }
  // The cast is safe: the adapter checks the answers at every turn.
  return createScriptAdapter(script as Script);
}

function typed(file: string, where: string): CommandError {
  const message = `${where}: ${file}: expected JavaScript, got TypeScript`;
  return usageError('bad_script', message, 'Build it first ("npx tsc"), then give the .js or .mjs file.');
}

function missing(file: string, where: string, thrown: unknown): CommandError {
  const exists = thrown instanceof Error && 'code' in thrown && thrown.code !== 'ENOENT';
  const why = exists ? `cannot be read: ${asError(thrown).message}` : 'does not exist';
  return notFoundError('no_file', `${where}: ${file} ${why}`, 'Give the path of a .mjs, .js or .json file.');
}

/** Error for a file that fails to load; explaining the expected format would not help. */
function broken(file: string, where: string, error: Error): CommandError {
  if (!(error instanceof SyntaxError)) {
    const hint = `It failed while loading; run "node ${file}" to see where.`;
    return new CommandError('failed', 'bad_script', `${where}: ${file}: ${error.message}`, hint);
  }
  const isJson = file.endsWith('.json');
  const hint = isJson ? 'Expected a list such as ["Yes.", "No."].' : `Run "node --check ${file}" to see where.`;
  const what = isJson ? 'not valid JSON' : 'not a valid JavaScript module';
  return new CommandError('failed', 'bad_script', `${where}: ${file}: ${what}: ${error.message}`, hint);
}

async function importDefault(file: string): Promise<unknown> {
  const module: { readonly default?: unknown } = await import(pathToFileURL(resolve(file)).href);
  return module.default;
}

async function readList(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}

function isAnswers(script: unknown): boolean {
  return Array.isArray(script) && script.every((one) => typeof one === 'string' || typeof one?.text === 'string');
}
