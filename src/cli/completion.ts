/** `parley completion`: makes completion scripts for bash, zsh and fish from the table of commands. */

import { type Argument, type Command, type Completion, type Option, optionsOf } from './terminal/command.ts';
import { EXIT } from './terminal/exit-codes.ts';

export function createCompletion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print a shell completion script',
    args: [{ name: 'shell', help: 'bash, zsh or fish', values: Object.keys(COMPLETIONS) }],
    examples: [
      ['Install it for bash', 'parley completion bash > /etc/bash_completion.d/parley'],
      ['Install it for zsh', 'parley completion zsh > ~/.zsh/completions/_parley'],
      ['Install it for fish', 'parley completion fish > ~/.config/fish/completions/parley.fish'],
    ],
    json: '{"shell", "script"}.',
    async run(args, io) {
      const shell = args.positionals.shell as Shell;
      const script = COMPLETIONS[shell](commands());
      io.put({ shell, script });
      io.say(script.trimEnd());
      return EXIT.done;
    },
  };
}

export type Shell = 'bash' | 'zsh' | 'fish';

export const COMPLETIONS: { readonly [S in Shell]: (commands: readonly Command[]) => string } = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Words offered for the first argument. */
function wordsOf({ args: [first] = [] }: Command): readonly string[] {
  if (first === undefined) return [];
  return first.suggests ?? (typeof first.values === 'object' ? first.values : []);
}

function pathsOf({ args: [first] = [] }: Command): 'file' | 'folder' | null {
  return kindOfPath(first);
}

function kindOfPath(value: Argument | Option | undefined): 'file' | 'folder' | null {
  const values: Completion | undefined = value?.values;
  return values === 'file' || values === 'folder' ? values : null;
}

function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const options = optionsOf(command);
    const paths = pathsOf(command);
    const words = [...options.map(({ name }) => `--${name}`), ...wordsOf(command)].join(' ');
    const values = options.flatMap((option) => bashValue(option));
    return `    ${command.name})
      case "$prev" in
${values.join('\n')}
      esac
      COMPREPLY=($(compgen -W "${words}"${paths === null ? '' : ` ${bashPaths(paths)}`} -- "$cur"))
      ;;`;
  });
  return `# bash completion for parley; made by "parley completion bash"
_parley() {
  local cur prev
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
}
complete -F _parley parley
`;
}

function bashValue(option: Option): readonly string[] {
  if (option.value === undefined) return [];
  const words = typeof option.values === 'object' ? option.values.join(' ') : '';
  const paths = kindOfPath(option);
  const kind = paths === null ? `-W "${words}"` : bashPaths(paths);
  return [`        --${option.name}) COMPREPLY=($(compgen ${kind} -- "$cur")); return ;;`];
}

function bashPaths(paths: 'file' | 'folder'): string {
  return paths === 'file' ? '-f' : '-d';
}

function zshScript(commands: readonly Command[]): string {
  const list = commands.map(({ name, summary }) => `    '${name}:${zshText(summary)}'`);
  const cases = commands.map((command) => {
    const options = optionsOf(command).map(
      (option) => `'${option.isMany === true ? '*' : ''}--${option.name}[${zshText(option.help)}]${zshValue(option)}'`,
    );
    const args = (command.args ?? []).map((argument, i) => {
      const { name, isRest = false, isOptional = false } = argument;
      const words = i === 0 ? wordsOf(command) : [];
      const action = words.length > 0 ? `(${words.join(' ')})` : zshPaths(argument);
      return `'${isRest ? '*' : i + 1}${isOptional && !isRest ? ':' : ''}:${name}:${action}'`;
    });
    return `    ${command.name}) _arguments ${[...options, ...args].join(' ')} ;;`;
  });
  return `#compdef parley
# zsh completion for parley; made by "parley completion zsh"
_parley() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    [[ $PREFIX == -* ]] && compadd -- --help --version
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
# Loaded from a folder of fpath this file is the function itself, at its first call; else it was read by "source".
if [ "$funcstack[1]" = _parley ]; then
  _parley "$@"
else
  compdef _parley parley
fi
`;
}

function zshText(text: string): string {
  return text.replaceAll("'", '’').replaceAll(/[[\]:]/g, (mark) => `\\${mark}`);
}

function zshPaths(value: Argument | Option): string {
  const paths = kindOfPath(value);
  return paths === null ? ' ' : paths === 'file' ? '_files' : '_files -/';
}

function zshValue(option: Option): string {
  if (option.value === undefined) return '';
  const action = typeof option.values === 'object' ? `(${option.values.join(' ')})` : zshPaths(option);
  return `:${zshText(option.value)}:${action}`;
}

/** Test the position of the command: a later word of a message may equal a command name. */
const FISH_TESTS = `function __parley_none
  test (count (commandline -opc)) -eq 1
end
function __parley_is
  set -l words (commandline -opc)
  test (count $words) -gt 1; and test "$words[2]" = $argv[1]
end
function __parley_begins
  set -l words (commandline -opc)
  test (count $words) -eq 2; and test "$words[2]" = $argv[1]
end`;

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const isIt = `-n '__parley_is ${command.name}'`;
    const begins = `-n '__parley_begins ${command.name}'`;
    const first = wordsOf(command);
    const paths = pathsOf(command);
    return [
      `complete -c parley -n __parley_none -a ${command.name} -d '${fishText(command.summary)}'`,
      ...(first.length === 0 ? [] : [`complete -c parley ${begins} -a '${first.join(' ')}'`]),
      ...(paths === null ? [] : [`complete -c parley ${isIt} ${fishPaths(paths)}`]),
      ...optionsOf(command).map(
        (option) => `complete -c parley ${isIt} -l ${option.name}${fishValue(option)} -d '${fishText(option.help)}'`,
      ),
    ];
  });
  const own = ['help', 'version'].map((name) => `complete -c parley -n __parley_none -l ${name}`);
  return `# fish completion for parley; made by "parley completion fish"\n${FISH_TESTS}\ncomplete -c parley -f\n${[...own, ...lines].join('\n')}\n`;
}

function fishPaths(paths: 'file' | 'folder'): string {
  return paths === 'file' ? '-F' : "-a '(__fish_complete_directories (commandline -ct))'";
}

function fishText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}

function fishValue(option: Option): string {
  if (option.value === undefined) return '';
  if (typeof option.values === 'object') return ` -x -a '${option.values.join(' ')}'`;
  const paths = kindOfPath(option);
  return paths === null ? ' -x' : ` -${paths === 'file' ? 'r' : 'x'} ${fishPaths(paths)}`;
}
