/** docs/reference/cli.md, made from the table of commands. */

import { ENVIRONMENT } from '../../src/cli/help.ts';
import { COMMANDS } from '../../src/cli/table.ts';
import {
  COMMON_OPTIONS,
  type Command,
  fullHelp,
  type Option,
  optionsOf,
  usageOf,
} from '../../src/cli/terminal/command.ts';
import { EXIT, EXIT_HELP, type ExitName } from '../../src/cli/terminal/exit-codes.ts';

export function commandPage(): string {
  return `<!-- Made by "npm run docs" from src/cli/table.ts. -->

# The \`parley\` command

\`\`\`console
$ parley up                                          # a hub, in this folder
$ parley join --name bob --human                     # a person, in another terminal
$ parley open consulting --to bob "Does it work?"    # a question to that person, in a third
\`\`\`

In a clone \`npm run -s parley -- …\` is the same without installing it. How to run a hub for others is in [running a hub](../operating/running-a-hub.md).

## Which hub, and who asks

Commands talk to \`ws://127.0.0.1:4747\` and prove themselves with the token that \`parley up\` left in \`.parley/operator-token\`.
Options come before the environment, and the environment before that.

| variable | |
|---|---|
${ENVIRONMENT.map(([name, help]) => `| \`${name}\` | ${help} |`).join('\n')}

A command that only looks does so under a name of its own (\`cli.<login>.<host>\`), and no two that run at the same time have the same.
\`open\`, \`send\`, \`inbox\` and \`schedule create\` speak for somebody: \`--as\`, \`PARLEY_NAME\` or your login name, which is registered
if it is new. A hub has one connection for each name, and a newer one takes over. So a command first looks whether that name is connected,
as by a \`parley join\` in another terminal; then it is refused with exit code 7, and \`--take-over\` does it all the same. Commands that
speak for one name wait for each other. Invites and messages are left to whoever stays: a short command accepts and acks nothing, and
\`open --follow\` acks only what it prints. With a token
for one name alone nobody can look first, and a note on stderr says so.

## What it writes

People read stdout, in colour on a terminal unless \`NO_COLOR\` is set. Progress and notes go to stderr. With \`--json\` stdout is JSON and
nothing else: one value, or for lists and streams a line each. What goes wrong is one line on stderr then, too:
\`{"error": {"code", "message", "hint", "exit"}}\`. \`PARLEY_DEBUG=1\` adds where in the program it happened.

| exit code | |
|---|---|
${(Object.keys(EXIT) as ExitName[]).map((name) => `| ${EXIT[name]} | ${EXIT_HELP[name]} |`).join('\n')}

A session is named by its id, by four or more digits of its beginning or end, or by \`last\`.

All commands take ${COMMON_OPTIONS.map(({ name }) => `\`--${name}\``).join(' and ')}.

${COMMANDS.map(sectionOf).join('\n')}`;
}

function sectionOf(command: Command): string {
  const { name, summary, details, args = [], examples, json } = command;
  const common = new Set(COMMON_OPTIONS.map((option) => option.name));
  const rows = [
    ...args.map((one) => `| \`<${one.name}>\` | ${cell(fullHelp(one))} |`),
    ...optionsOf(command)
      .filter((option) => !common.has(option.name))
      .map((option) => `| \`${wordOf(option)}\` | ${cell(fullHelp(option))} |`),
  ];
  const table = rows.length === 0 ? '' : `| | |\n|---|---|\n${rows.join('\n')}\n\n`;
  return `## ${name}

\`${usageOf(command)} [options]\`

${summary}${details === undefined ? '' : ` ${details}`}

${table}With \`--json\`: ${cell(json)}

\`\`\`console
${examples.map((example) => `$ ${example}`).join('\n')}
\`\`\`
`;
}

function wordOf({ name, value }: Option): string {
  return `--${name}${value === undefined ? '' : ` <${value}>`}`;
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<([a-z ]+)>/g, '`<$1>`');
}
