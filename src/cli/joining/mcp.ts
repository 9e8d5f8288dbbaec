/** `parley mcp`: an MCP server on stdin and stdout, and `parley mcp install`, which sets tools up to start it. */

import { homedir } from 'node:os';
import { type Change, type Outcome, prepareInstall, prepareUndo } from '../../mcp/install/install.ts';
import { confirm, manualSetup, manualSetupLines, plainLine } from '../../mcp/install/preview.ts';
import { entryKey, resolveRequest, secretFile } from '../../mcp/install/request.ts';
import { type InstallPaths, SCOPES, TOOLS, type Tool } from '../../mcp/install/tools.ts';
import { DEFAULT_WAIT, parseWait, WAIT_EXPECTED } from '../../mcp/tools/wait-for.ts';
import { lineLog } from '../../server/telemetry/line-log.ts';
import { loginName, requestedName, resolveHubTarget } from '../connecting/hub-target.ts';
import type { Argument, Command, CommandArgs, Option } from '../terminal/command.ts';
import { CommandError, invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';

const UNPROVEN =
  'note: no token was found; give one with PARLEY_TOKEN or --token-file, or the data folder of "parley up" with --data';
const TOOL_NAMES = TOOLS.map(({ name }) => name);

const INSTALL_ARGS: readonly Argument[] = [
  { name: 'action', help: 'install: set a tool up instead of serving.', isOptional: true, values: ['install'] },
  { name: 'tool', help: 'install: which.', isOptional: true, values: TOOL_NAMES },
];

const INSTALL_OPTIONS: readonly Option[] = [
  {
    name: 'scope',
    value: 'scope',
    help: 'install: for you (user, as usual) or for this folder (project).',
    values: SCOPES,
  },
  { name: 'entry', value: 'name', help: 'install: what the server is called there (parley).' },
  { name: 'yes', help: 'install: do it without asking.' },
  { name: 'dry-run', help: 'install: show what would change, and change nothing.' },
  { name: 'undo', help: 'install: take out what was put in.' },
  { name: 'print', help: 'install: what to paste by hand; without a tool, for each of them.' },
];

/** What is for installing means nothing to a server, and would be taken for said. */
function assertServing({ switches, values }: CommandArgs): void {
  const option = INSTALL_OPTIONS.find(({ name }) => switches.has(name) || values[name] !== undefined);
  if (option === undefined) return;
  const hint = `Did you mean "parley mcp install <tool> --${option.name}"?`;
  throw usageError('wrong_option', `--${option.name} is for "parley mcp install"`, hint);
}

export async function installMcp(args: CommandArgs, io: Io, places: InstallPaths = placesOf(io)): Promise<number> {
  const tool = TOOLS.find(({ name }) => name === args.positionals.tool);
  if (args.switches.has('print')) return print(tool === undefined ? TOOLS : [tool], args, io, places);
  if (tool === undefined) {
    throw usageError('missing_argument', '"mcp install" needs <tool>', `One of ${TOOL_NAMES.join(', ')}.`);
  }
  return args.switches.has('undo') ? undo(tool, args, io, places) : install(tool, args, io, places);
}

function placesOf({ env }: Io): InstallPaths {
  return { home: homedir(), project: process.cwd(), script: process.argv[1] ?? '', env };
}

async function print(tools: readonly Tool[], args: CommandArgs, io: Io, places: InstallPaths): Promise<number> {
  let isUnproven = false;
  for (const [i, tool] of tools.entries()) {
    const request = await resolveRequest(tool, args, io, places);
    const paste = manualSetup(request);
    io.put(paste);
    io.say(`${i === 0 ? '' : '\n'}${printable(manualSetupLines(request, paste))}`);
    if (request.secret !== null)
      io.note(`note: the token belongs into ${request.secret.file}, for your eyes only (chmod 600)`);
    isUnproven ||= request.isUnproven;
  }
  if (isUnproven) io.note(UNPROVEN);
  return EXIT.done;
}

async function install(tool: Tool, args: CommandArgs, io: Io, places: InstallPaths): Promise<number> {
  const request = await resolveRequest(tool, args, io, places);
  const change = await prepareInstall(request);
  const isDone = await settle(change, args, io);
  if (request.isUnproven) io.note(UNPROVEN);
  if (isDone && change.outcome.action !== 'unchanged') io.say(tool.next);
  return EXIT.done;
}

async function undo(tool: Tool, args: CommandArgs, io: Io, places: InstallPaths): Promise<number> {
  // Checked against the list by the parser.
  const scope = (args.values.scope ?? 'user') as (typeof SCOPES)[number];
  const key = entryKey(args);
  const file = tool.file(scope, places);
  const change = await prepareUndo({ tool, scope, key, file }, secretFile(tool, scope, key, places), places);
  await settle(change, args, io);
  return EXIT.done;
}

/** Shows it, asks, does it. False = it was not to be done. */
async function settle(change: Change, args: CommandArgs, io: Io): Promise<boolean> {
  const { outcome } = change;
  const isDry = args.switches.has('dry-run');
  const isChange = outcome.action !== 'unchanged';
  if (isChange) show(change, io);
  if (isDry || !isChange) {
    // A token may be new where the entry is not.
    if (!isDry) await change.carryOut();
    return reportOutcome(outcome, change, isDry, io);
  }
  await consent(change, args, io);
  await change.carryOut();
  return reportOutcome(outcome, change, false, io);
}

function show({ outcome, lines }: Change, io: Io): void {
  io.say(printable(`${outcome.file}:`));
  for (const line of lines) {
    const text = printable(plainLine(line));
    io.say(line.kind === 'same' ? text : io.terminal.paint(text, line.kind === 'in' ? 'green' : 'red'));
  }
}

async function consent({ outcome, lines }: Change, args: CommandArgs, io: Io): Promise<void> {
  if (args.switches.has('yes')) return;
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true || io.isJson) {
    io.put({ ...outcome, done: false, change: lines.map(plainLine) });
    throw usageError('needs_yes', `nobody can be asked here; nothing was written`, 'Say "--yes" to do it.');
  }
  if (!(await confirm('Do it? [y/N] '))) throw new CommandError('failed', 'not_wanted', 'nothing was written', '');
}

const SAID: Readonly<Record<Outcome['action'], string>> = {
  added: 'added to',
  changed: 'changed in',
  removed: 'taken out of',
  restored: 'taken out: as it was before,',
  deleted: 'taken out: there was nothing else in it, so it is gone,',
  unchanged: 'nothing to change in',
};

function reportOutcome(outcome: Outcome, { lines }: Change, isDry: boolean, io: Io): boolean {
  io.put({ ...outcome, done: !isDry, change: lines.map(plainLine) });
  const kept = outcome.backup === null ? '' : `; what it was is in ${outcome.backup}`;
  io.say(printable(isDry ? 'nothing was written' : `${outcome.entry}: ${SAID[outcome.action]} ${outcome.file}${kept}`));
  if (!isDry && outcome.token_file !== null) io.note(`note: the token: ${outcome.token_file}`);
  return !isDry;
}

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
      help: `How long wait_turn waits before it says that nothing has happened: from 1s to 10m (${DEFAULT_WAIT}).`,
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
  async run(args, io) {
    if (args.positionals.action === 'install') return installMcp(args, io);
    assertServing(args);
    const requested = args.values.name ?? requestedName(args, io);
    const who = { name: requested ?? loginName(), isNameOpen: requested === undefined };
    const maxWaitMs = waitOf(args.values['max-wait'] ?? DEFAULT_WAIT);
    const { url, credentials, ca } = await resolveHubTarget(args, io);
    const proof = { credentials, ...(ca === undefined ? {} : { ca }) };
    const { serveStdio } = await import('../../mcp/stdio/stdio.ts');
    const log = lineLog(process.stderr);
    const claim = { capabilities: args.lists.capability ?? [], summary: args.values.summary };
    const isInOrder = await serveStdio({ url, ...who, claim, proof, maxWaitMs, patienceMs: PATIENCE_MS, log });
    return isInOrder ? EXIT.done : EXIT.failed;
  },
};

function waitOf(text: string): number {
  const ms = parseWait(text);
  if (ms === null) throw invalidValueError('--max-wait', WAIT_EXPECTED, text, 'For example: --max-wait 50s');
  return ms;
}
