/** `parley graph`. */

import type { CustomRuleParts } from 'parley-hub/adapters/transition-graph';
import { isProtocolError } from '../../core/lib/errors.ts';
import type { Command } from '../terminal/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { parseNames, readJsonOption } from '../terminal/parse-values.ts';

export const graph: Command = {
  name: 'graph',
  summary: 'Check the graph of a workflow, and draw it as Mermaid.',
  details:
    'Of conditions and targets the built-in ones are known, and those that --own names; others are refused, as are arguments that do not fit. Warnings are about rules that can never apply.',
  args: [{ name: 'file', help: 'The graph in JSON or YAML.', values: 'file' }],
  options: [
    {
      name: 'own',
      value: 'names',
      help: 'Conditions and targets of your own hub: a,b. Their arguments are not checked.',
      isMany: true,
    },
  ],
  examples: [
    'parley graph support.yaml',
    'parley graph support.yaml --own is_urgent',
    'parley graph support.yaml --json | jq -r .mermaid',
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
      checkGraph(parsed, ownParts(args.lists.own ?? []));
      const warnings = graphWarnings(parsed);
      const mermaid = graphToMermaid(parsed);
      io.put({ file, warnings, mermaid });
      for (const warning of warnings) io.note(`warning: ${warning}`);
      io.say(mermaid.trimEnd());
      return EXIT.done;
    } catch (thrown) {
      if (!isProtocolError(thrown)) throw thrown;
      const isUnknown = /expected a registered (condition|target)/.test(thrown.message);
      const hint = `Mend that member${isUnknown ? ', or name it with "--own" if your hub has it' : ''}; docs/reference/workflows.md describes graphs.`;
      throw new CommandError('found', 'wrong_graph', `${file}: ${thrown.message}`, hint);
    }
  },
};

/** Only their names are known here: what they do is in the hub that has them. */
function ownParts(lists: readonly string[]): CustomRuleParts {
  const parts = parseNames(lists).map((name) => ({ name, version: 1 }));
  return {
    conditions: parts.map((part) => ({ ...part, holds: () => false })),
    targets: parts.map((part) => ({ ...part, choose: () => null })),
  };
}
