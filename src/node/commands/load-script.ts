/** A script for `parley join --script`: a module with a function or a list of answers, or a JSON file with a list. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asError } from '../../core/errors.ts';
import type { AgentFn } from '../../participants/agent-fn.ts';
import { createScriptAdapter, type Script } from '../../participants/script.ts';
import { Trouble } from './trouble.ts';

const HINT = 'It has "export default async (ctx, systemPrompt, turn) => …", or a list of answers.';

export async function loadScript(file: string): Promise<AgentFn> {
  const script = await (file.endsWith('.json') ? readList(file) : importDefault(file)).catch((thrown: unknown) => {
    throw new Trouble('failed', 'bad_script', `--script: ${file}: ${asError(thrown).message}`, HINT);
  });
  if (typeof script !== 'function' && !isAnswers(script)) {
    const message = `--script: ${file}: expected a function or a list of answers as its default export`;
    throw new Trouble('wrong', 'bad_script', message, HINT);
  }
  // What a module exports is its own; what it answers is looked at with every turn.
  return createScriptAdapter(script as Script);
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
