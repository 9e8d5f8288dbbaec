/** Shows an install to the user: changed lines, a confirmation, or instructions for manual setup. */

import { createInterface } from 'node:readline/promises';
import type { Request } from './request.ts';

const AROUND = 2;
/** Matches values of members with secret-sounding names; the preview may end up in a log. */
const SECRET = /((?:token|secret|key|passw|auth|cookie)[^\n:=]{0,40}[:=]\s*)(["'])(?:\\.|(?!\2).)*\2/gi;

export interface ChangedLine {
  readonly kind: 'same' | 'out' | 'in';
  readonly text: string;
}

/** Returns the removed and added lines with a little context. */
export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const old = linesOf(before);
  const young = linesOf(after);
  let head = 0;
  while (head < Math.min(old.length, young.length) && old[head] === young[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, young.length) - head;
  while (tail < most && old[old.length - 1 - tail] === young[young.length - 1 - tail]) tail += 1;
  return [
    ...old.slice(Math.max(0, head - AROUND), head).map((text) => lineOf('same', text)),
    ...old.slice(head, old.length - tail).map((text) => lineOf('out', text)),
    ...young.slice(head, young.length - tail).map((text) => lineOf('in', text)),
    ...old.slice(old.length - tail, old.length - tail + AROUND).map((text) => lineOf('same', text)),
  ];
}

/** Redacts secrets, except in added lines, which are ours and contain none. */
function lineOf(kind: ChangedLine['kind'], text: string): ChangedLine {
  return { kind, text: kind === 'in' ? text : text.replaceAll(SECRET, '$1$2…$2') };
}

const SIGN = { same: '  ', out: '- ', in: '+ ' } as const;

export function plainLine({ kind, text }: ChangedLine): string {
  return `${SIGN[kind]}${text}`;
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** Asks at the terminal. Any answer except yes means no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // End of input means no.
  const ended = new Promise<string>((answer) => lines.once('close', () => answer('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), ended])).trim());
  } finally {
    lines.close();
  }
}

interface ManualSetup {
  readonly tool: string;
  readonly file: string;
  readonly language: 'json' | 'toml';
  readonly snippet: string;
  readonly command: string | null;
}

export function manualSetup({ tool, scope, key, file, words }: Request): ManualSetup {
  const servers = tool.servers(undefined);
  const { start, usual } = tool.entry(words, servers);
  const snippet = tool.format.alone([...servers, key], { ...start, ...usual });
  return { tool: tool.name, file, language: tool.language, snippet, command: tool.command(key, words, scope) };
}

export function manualSetupLines({ tool: { title, next } }: Request, { file, snippet, command }: ManualSetup): string {
  const own = command === null ? [] : ['', 'or run:', `  ${command}`];
  const lines = snippet
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
  return [`${title}: add this to ${file}`, '', ...lines, ...own, '', next].join('\n');
}
