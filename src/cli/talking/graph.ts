/** `parley graph`: checks a workflow graph and draws it as Mermaid. */

import type { CustomRuleParts } from 'parley-hub/adapters/transition-graph';
import { isProtocolError } from '../../core/lib/errors.ts';
import type { Command } from '../terminal/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { parseNames, readJsonOption } from '../terminal/parse-values.ts';

export const graph: Command = {
  name: 'graph',
  summary: 'Check a workflow graph and draw it as Mermaid',
  details:
    'Knows the built-in conditions and targets, and those named with --own; unknown ones and invalid arguments are errors. Warns about rules that can never apply.',
  args: [{ name: 'file', help: 'Graph in JSON or YAML', values: 'file' }],
  options: [
    {
      name: 'own',
      value: 'names',
      help: 'Custom conditions and targets of your hub: a,b. Their arguments are not checked',
      isMany: true,
    },
  ],
  examples: [
    ['Check a graph', 'parley graph support.yaml'],
    ['Allow a custom condition', 'parley graph support.yaml --own is_urgent'],
    ['Print only the drawing', 'parley graph support.yaml --json | jq -r .mermaid'],
  ],
  json: '{"file", "warnings", "mermaid"}.',
  async run(args, io) {
    const file = args.positionals.file ?? '';
    const value = await readJsonOption('<file>', file);
    const { checkGraph, graphToMermaid, graphWarnings, parseGraph } = await import(
      'parley-hub/adapters/transition-graph'
    );
    try {
      const parsed = parseGraph(value);
      checkGraph(parsed, customParts(args.lists.own ?? []));
      const warnings = graphWarnings(parsed);
      const mermaid = graphToMermaid(parsed);
      io.put({ file, warnings, mermaid });
      for (const warning of warnings) io.note(`warning: ${warning}`);
      io.say(mermaid.trimEnd());
      return EXIT.done;
    } catch (thrown) {
      if (!isProtocolError(thrown)) throw thrown;
      const isUnknown = /expected a registered (condition|target)/.test(thrown.message);
      const hint = `Correct that member${isUnknown ? ', or name it with "--own" if your hub defines it' : ''}; see docs/reference/workflows.md.`;
      throw new CommandError('found', 'wrong_graph', `${file}: ${thrown.message}`, hint);
    }
  },
};

/** Dummy implementations: only the hub has the real ones, and the check needs only the names. */
function customParts(lists: readonly string[]): CustomRuleParts {
  const parts = parseNames(lists).map((name) => ({ name, version: 1 }));
  return {
    conditions: parts.map((part) => ({ ...part, holds: () => false })),
    targets: parts.map((part) => ({ ...part, choose: () => null })),
  };
}
