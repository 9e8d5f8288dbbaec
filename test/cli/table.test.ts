// One table of commands: help, the document and the parser say what it says.

import { expect, it } from 'vitest';
import { helpOf, helpOfAll, helpOfTopic } from '../../src/cli/help.ts';
import { parseCommand } from '../../src/cli/parse-command.ts';
import { COMMAND_GROUPS, COMMANDS } from '../../src/cli/table.ts';
import { optionsOf } from '../../src/cli/terminal/command.ts';
import { EXIT, EXIT_HELP } from '../../src/cli/terminal/exit-codes.ts';
import { createProgress } from '../../src/cli/terminal/io.ts';
import { findNearest } from '../../src/cli/terminal/nearest.ts';
import { LOG_LEVELS as KNOWN_LEVELS, LOG_LEVELS } from '../../src/server/telemetry/line-log.ts';
import { read } from '../package/repository.ts';
import { commandPage } from '../reference/command-page.ts';

it('[CM1] docs/reference/cli.md is made from the table', () => {
  // If the table was changed on purpose: npm run docs
  expect(read('docs/reference/cli.md')).toBe(commandPage());
});

it.each(COMMANDS.map((command) => [command.name, command] as const))(
  '[CM1] %s has a help with all its options, --json and examples that it takes',
  (name, command) => {
    const help = helpOf(command);
    for (const option of optionsOf(command)) expect(help).toContain(`--${option.name}`);
    for (const { name: one, values } of [...optionsOf(command), ...(command.args ?? [])]) {
      const [, own = ''] =
        new RegExp(`^  (?:--${one}|<${one}>)(?: <|  |\\n)([^]*?)(?=\\n  \\S|\\n\\n)`, 'm').exec(help) ?? [];
      for (const value of typeof values === 'object' ? values : [])
        expect({ one, own }).toEqual({ one, own: expect.stringContaining(value) });
    }
    expect(helpOfAll(COMMAND_GROUPS)).toContain(`\n  ${name} `);
    expect(command.examples.length).toBeGreaterThan(0);
    expect(new Set(optionsOf(command).map((option) => option.name)).size).toBe(optionsOf(command).length);
    expect(parseCommand(COMMANDS, [name, '--nonsense', '--help'])).toEqual({ kind: 'help', command });
    const [before = ''] = help.split('\nExamples:\n');
    expect(before.split('\n').length).toBeLessThanOrEqual(50);
    const own = command.examples.filter(([, example]) => example.startsWith(`parley ${name}`));
    for (const [comment, example] of own) {
      expect(help).toContain(`  # ${comment}\n  ${example}\n`);
      const words = [...(example.split(/ [|>] /)[0] ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, a, b]) => a ?? b ?? '',
      );
      expect(parseCommand(COMMANDS, words.slice(1))).toMatchObject({ kind: 'run', command: { name } });
    }
  },
);

it('[CM4] the exit codes are in one table, no two the same, each explained', () => {
  // Scripts depend on these: a change is made on purpose.
  expect(EXIT).toEqual({
    done: 0,
    failed: 1,
    wrong: 2,
    unreachable: 3,
    notAllowed: 4,
    notFound: 5,
    refused: 6,
    inUse: 7,
    found: 8,
    disk: 74,
  });
  const help = helpOfTopic('exit-codes');
  for (const [name, text] of Object.entries(EXIT_HELP)) {
    expect(help).toMatch(new RegExp(`^  ${EXIT[name as keyof typeof EXIT]} +`, 'm'));
    expect(help).toContain(text);
  }
  expect(parseCommand(COMMANDS, ['help', 'exit-codes'])).toEqual({ kind: 'help', command: null, topic: 'exit-codes' });
  expect(helpOfAll(COMMAND_GROUPS)).toContain('exit-codes');
});

it('[CM3] suggests words within a few changes', () => {
  expect(['sesions', 'tial', 'ex', 'xyz', ''].map((word) => findNearest(word, ['sessions', 'tail', 'export']))).toEqual(
    ['sessions', 'tail', 'export', null, null],
  );
});

it('[CM12] long work says how far it is, on a terminal in one line, else every ten percent; short work says nothing', () => {
  const work = (isTTY: boolean, msPerStep: number): string => {
    let [text, ms] = ['', 0];
    const progress = createProgress({ isTTY, write: (more) => (text += more) }, 'copying', () => ms);
    for (let bytes = 0; bytes <= 200; bytes += 5) {
      ms += msPerStep;
      progress({ bytes, of: 200 });
    }
    return text;
  };
  expect(work(false, 1)).toBe('');
  expect(work(false, 100).split('\n')).toEqual([
    ...[10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((percent) => `copying: ${percent} %`),
    '',
  ]);
  const live = work(true, 250).split('\r\u001b[K');
  expect([live[1], live.at(-1)]).toEqual(['copying: 2 %', 'copying: 100 %\n']);
});

it('[CM10] the log levels of the command are those of the log', () => {
  expect(LOG_LEVELS).toEqual(KNOWN_LEVELS);
});
