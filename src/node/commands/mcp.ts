/** `parley mcp`. */

import { lineLog } from '../../server/telemetry/line-log.ts';
import { parseWait, USUAL_WAIT, WAIT_EXPECTED } from '../mcp/max-wait.ts';
import type { Command } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import { assertServing, INSTALL_ARGS, INSTALL_OPTIONS, installMcp } from './mcp-install.ts';
import { wrongValue } from '../../cli/terminal/command-error.ts';
import { loginName, nameGiven, whereIs } from '../../cli/connecting/hub-target.ts';

/** How long a call waits for a hub that is away before it says so. */
const PATIENCE_MS = 10_000;

export const mcp: Command = {
  name: 'mcp',
  summary: 'Let a coding agent take part: an MCP server on stdin and stdout.',
  details:
    'For the configuration of Claude Code, Codex, Cursor, Gemini CLI, opencode and others: they start it, and their model gets tools to take part in sessions. It ends when its input ends, and reconnects by itself while it runs. Only the protocol is on stdout; notes go to stderr. The hub answers the same over HTTP at /mcp. "parley mcp install <tool>" writes that configuration: it shows the change, asks, keeps what was there beside it, and --undo takes it out again. A token goes into a file of its own, which only you can read.',
  args: INSTALL_ARGS,
  options: [
    {
      name: 'name',
      value: 'name',
      help: 'Who the agent is (PARLEY_NAME, or the one name its token is for, or your login name; install: or what its entry says, or what the tool is called); a new name is registered.',
    },
    {
      name: 'max-wait',
      value: 'duration',
      help: `How long wait_turn waits before it says that nothing has happened: from 1s to 10m (${USUAL_WAIT}).`,
    },
    {
      name: 'capability',
      value: 'word',
      isMany: true,
      help: 'What the agent can do, such as review: others find it by that.',
    },
    { name: 'summary', value: 'text', help: 'What it is for, in a sentence.' },
    ...INSTALL_OPTIONS,
  ],
  on: 'hub',
  examples: [
    'parley mcp --name reviewer --capability review --summary "Reads patches."',
    'parley mcp --name reviewer --url wss://hub.example:4747 --max-wait 50s',
    'parley mcp install claude --name reviewer',
    'parley mcp install codex --undo',
    'parley mcp install --print',
  ],
  json: 'Nothing of its own: stdout belongs to the protocol. install: {"tool", "scope", "entry", "file", "action", "backup", "token_file", "done", "change"}; with --print {"tool", "file", "language", "snippet", "command"}, a line each.',
  async run(asked, io) {
    if (asked.args.action === 'install') return installMcp(asked, io);
    assertServing(asked);
    const given = asked.values.name ?? nameGiven(asked, io);
    const who = { name: given ?? loginName(), isNameOpen: given === undefined };
    const maxWaitMs = waitOf(asked.values['max-wait'] ?? USUAL_WAIT);
    const { url, credentials, ca } = await whereIs(asked, io);
    const proof = { credentials, ...(ca === undefined ? {} : { ca }) };
    const { serveStdio } = await import('../../mcp/stdio/stdio.ts');
    const log = lineLog(process.stderr);
    const claim = { capabilities: asked.lists.capability ?? [], summary: asked.values.summary };
    const isInOrder = await serveStdio({ url, ...who, claim, proof, maxWaitMs, patienceMs: PATIENCE_MS, log });
    return isInOrder ? EXIT.done : EXIT.failed;
  },
};

function waitOf(text: string): number {
  const ms = parseWait(text);
  if (ms === null) throw wrongValue('--max-wait', WAIT_EXPECTED, text, 'For example: --max-wait 50s');
  return ms;
}
