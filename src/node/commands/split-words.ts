/** A command line as words, the way a shell would read them, without anything else a shell does. */

import { wrongValue } from '../../cli/terminal/command-error.ts';

const WORD = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy;

/** The first is not empty. Quotes hold a word together, a backslash takes the next character as it is; nothing is expanded. */
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
  if (end < line.length) throw wrongValue(option, 'a command whose quotes are closed', line);
  if (word !== null) words.push(word);
  if ((words[0] ?? '').trim() === '') throw wrongValue(option, 'a command, such as "my-agent --fast"', line);
  return words;
}
