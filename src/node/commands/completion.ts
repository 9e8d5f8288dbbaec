/** `parley completion`. */

import type { Command } from '../../cli/terminal/command.ts';
import { COMPLETIONS, type Shell } from '../../cli/completion.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';

const SHELLS = Object.keys(COMPLETIONS);

/** It completes all commands, itself among them. */
export function completionOf(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'A script that completes commands and options in your shell.',
    args: [{ name: 'shell', help: 'bash, zsh or fish.', values: SHELLS }],
    examples: [
      'parley completion bash > /etc/bash_completion.d/parley',
      'parley completion zsh > ~/.zsh/completions/_parley',
      'parley completion fish > ~/.config/fish/completions/parley.fish',
    ],
    json: '{"shell", "script"}.',
    async run(asked, io) {
      // Checked against the list by the parser.
      const shell = asked.args.shell as Shell;
      const script = COMPLETIONS[shell](commands());
      io.put({ shell, script });
      io.say(script.trimEnd());
      return EXIT.done;
    },
  };
}
