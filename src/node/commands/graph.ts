/** `parley graph`. */

import { isProtocolError } from '../../core/errors.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { objectInFile } from './given-json.ts';
import { Trouble } from './trouble.ts';

export const graph: Command = {
  name: 'graph',
  summary: 'Check the graph of a workflow, and draw it as Mermaid.',
  details: 'Of conditions and targets the built-in ones are known. Warnings are about rules that can never apply.',
  args: [{ name: 'file', help: 'The graph in JSON or YAML.', values: 'file' }],
  examples: ['parley graph support.yaml', 'parley graph support.yaml --json | jq -r .mermaid'],
  json: '{"file", "warnings", "mermaid"}.',
  async run(asked, io) {
    const file = asked.args.file ?? '';
    const given = await objectInFile('<file>', file);
    const { graphToMermaid, graphWarnings, parseGraph } = await import('parley-hub/adapters/transition-graph');
    try {
      const parsed = parseGraph(given);
      const warnings = graphWarnings(parsed);
      const mermaid = graphToMermaid(parsed);
      io.put({ file, warnings, mermaid });
      for (const warning of warnings) io.note(`warning: ${warning}`);
      io.say(mermaid.trimEnd());
      return EXIT.done;
    } catch (thrown) {
      if (!isProtocolError(thrown)) throw thrown;
      const hint = 'Mend that member; docs/api.md says what a graph is made of.';
      throw new Trouble('found', 'wrong_graph', `${file}: ${thrown.message}`, hint);
    }
  },
};
