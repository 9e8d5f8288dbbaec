/** `parley agents`. */

import type { FoundAgent } from '../../core/records/identity/find-agent.ts';
import { writeColumns } from './columns.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { OWN_PREFIX } from '../../cli/connecting/command-name.ts';
import { looking } from './reach.ts';

export const agents: Command = {
  name: 'agents',
  summary: 'Who is registered, who is connected, and what they can do.',
  options: [
    { name: 'bound', help: 'Only who is connected now.' },
    { name: 'capability', value: 'word', help: 'Only who can do this.' },
    { name: 'text', value: 'words', help: 'Only of whom this is known.' },
    { name: 'all', help: `Also the names under which commands look at the hub (${OWN_PREFIX}…).` },
    { name: 'as', value: 'name', help: 'Who asks; a token for one name knows it by itself.' },
  ],
  on: 'hub',
  examples: ['parley agents --bound', 'parley agents --capability review --json'],
  json: 'A line for each agent: {"name", "agent_id", "kind", "bound", "resume", …}.',
  run(asked, io) {
    const { values, switches } = asked;
    const query = {
      ...(switches.has('bound') ? { bound: true } : {}),
      ...(values.capability === undefined ? {} : { capability: values.capability }),
      ...(values.text === undefined ? {} : { text: values.text }),
    };
    return looking(asked, io, async (client) => {
      const found: FoundAgent[] = [];
      for await (const agent of client.findAgents(query)) {
        if (agent.name.startsWith(OWN_PREFIX) && !switches.has('all')) continue;
        io.put(agent);
        found.push(agent);
      }
      if (found.length === 0) io.say('nobody; "parley join --name bob --human" adds somebody');
      else if (!io.isJson) writeColumns(io.terminal, ['name', 'kind', 'here', 'can', 'about'], found.map(rowOf));
      return EXIT.done;
    });
  },
};

function rowOf({ name, kind, bound, resume }: FoundAgent) {
  return [
    { text: name },
    { text: kind },
    bound ? ({ text: 'yes', style: 'green' } as const) : ({ text: 'no', style: 'dim' } as const),
    { text: resume.claimed_capabilities.join(', ') },
    { text: resume.summary },
  ];
}
