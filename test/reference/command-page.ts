/** docs/reference/cli.md, made from the table of commands. */

import { ENVIRONMENT } from '../../src/cli/help.ts';
import { COMMAND_GROUPS } from '../../src/cli/table.ts';
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
# Run a hub in this folder
$ parley up
# Join as a person, in another terminal
$ parley join --name bob --human
# Ask that person a question, in a third
$ parley open consulting --to bob "Does it work?"
\`\`\`

In a clone, \`npm run -s parley -- …\` does the same without an installation. See [running a hub](../operating/running-a-hub.md).

## Hub and identity

Commands connect to \`ws://127.0.0.1:4747\` with the token that \`parley up\` writes to \`.parley/operator-token\`.
Precedence: options, then environment variables, then these defaults.

| variable | |
|---|---|
${ENVIRONMENT.map(([name, help]) => `| \`${name}\` | ${help} |`).join('\n')}

Read-only commands connect under a generated name (\`cli.<login>.<host>\`), unique among commands running at the same time.
\`open\`, \`send\`, \`inbox\` and \`schedule create\` act for an identity: \`--as\`, \`PARLEY_NAME\` or your login name, registered if it is new.

A newer connection of a name replaces the older one. So a command first checks whether its name is connected, for example by a
\`parley join\` in another terminal. If so, it exits with 7, unless you pass \`--take-over\`. Commands for the same name wait for each other.
With a token for one name the check is impossible, and a note on stderr says so.

Short commands accept no invites and ack nothing; \`open --follow\` acks what it prints.

## Output and exit codes

Results go to stdout, in colour on a terminal unless \`NO_COLOR\` is set. Progress and notes go to stderr. With \`--json\`, stdout contains only
JSON: one value, or one line per entry of a list or stream. An error is then one line on stderr:
\`{"error": {"code", "message", "hint", "exit"}}\`.

\`parley help exit-codes\` prints this table.

| exit code | |
|---|---|
${(Object.keys(EXIT) as ExitName[]).map((name) => `| ${EXIT[name]} | ${EXIT_HELP[name]} |`).join('\n')}

Name a session by its id, by four or more digits of its beginning or end, or by \`last\`.

All commands take ${COMMON_OPTIONS.map(({ name }) => `\`--${name}\``).join(' and ')}.

${COMMAND_GROUPS.flatMap(([, commands]) => commands.map(sectionOf)).join('\n')}`;
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

${summary}.${details === undefined ? '' : ` ${details}`}

${table}With \`--json\`: ${cell(json)}

\`\`\`console
${examples.map(([comment, example]) => `# ${comment}\n$ ${example}`).join('\n')}
\`\`\`
`;
}

function wordOf({ name, value }: Option): string {
  return `--${name}${value === undefined ? '' : ` <${value}>`}`;
}

/** Escapes bars and placeholders for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<([a-z ]+)>/g, '`<$1>`');
}
