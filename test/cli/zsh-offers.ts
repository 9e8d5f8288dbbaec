/** Completions of zsh for a line, read through a pseudo-terminal: zsh offers no other way. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every candidate is written between two lines with a NUL, as it is added. */
const ASK = String.raw`
zmodload zsh/zpty || exit 3
zpty shell zsh -f -i
zpty -w shell "source $1/ready.zsh"
repeat 6; do
  zpty -r shell line
  [[ $line == *it-is-ready* ]] && break
done
zpty -w shell "$2"$'\t'
integer seen=0
while zpty -r shell; do :; done | while IFS= read -r line; do
  if [[ $line == *$'\0\r' ]]; then
    (( seen++ )) && exit 0 || continue
  fi
  (( seen )) && print -r -- "\${line%$'\r'}"
done
`;

const READY = String.raw`
PROMPT=
autoload -U compinit
LOAD
bindkey '^M' undefined
bindkey '^J' undefined
bindkey '^I' complete-word
a-line() { print -r - $'\0' }
compprefuncs=( a-line )
comppostfuncs=( a-line exit )
zstyle ':completion:*' insert-tab false
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return $?
  fi
  typeset -a hits
  builtin compadd -A hits "$@"
  for hit in $hits; do print -r - "$hit"; done
  builtin compadd "$@"
}
print it-is-ready
`;

export type Loading = 'fpath' | 'source';

/** `folder` has the script as `_parley`. */
export function zshOffers(folder: string, line: string, loading: Loading): readonly string[] {
  const init = `compinit -u -d ${folder}/dump-${loading}`;
  const load = loading === 'fpath' ? `fpath=(${folder} $fpath)\n${init}` : `${init}\nsource ${folder}/_parley`;
  // In a raw template a dollar before a brace is written with a backslash.
  const plain = (text: string): string => text.replaceAll('\\${', '${');
  writeFileSync(
    join(folder, 'ready.zsh'),
    plain(READY).replace('LOAD', () => load),
  );
  writeFileSync(join(folder, 'ask.zsh'), plain(ASK));
  const { stdout } = spawnSync('zsh', ['-f', join(folder, 'ask.zsh'), folder, line], { encoding: 'utf8', cwd: folder });
  return [...new Set(stdout.split('\n').filter((one) => one !== ''))];
}
