/** `parley mcp`: runs an MCP server on stdin and stdout. `parley mcp install` configures a tool to start it. */

import { homedir } from 'node:os';
import { type Change, type Outcome, prepareInstall, prepareUndo } from '../../mcp/install/install.ts';
import { confirm, manualSetup, manualSetupLines, plainLine } from '../../mcp/install/preview.ts';
import { entryKey, resolveRequest, secretFile } from '../../mcp/install/request.ts';
import { type InstallPaths, SCOPES, TOOLS, type Tool } from '../../mcp/install/tools.ts';
import { DEFAULT_WAIT, parseWait, WAIT_EXPECTED } from '../../mcp/tools/wait-for.ts';
import { lineLog } from '../../server/telemetry/line-log.ts';
import { loginName, requestedName, resolveHubTarget } from '../connecting/hub-target.ts';
import { type Command, type CommandArgs, inGroup, type Option } from '../terminal/command.ts';
import { CommandError, invalidValueError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';

const UNPROVEN =
  'note: no token found; set PARLEY_TOKEN, or pass --token-file, or --data with the data folder of "parley up"';
const TOOL_NAMES = TOOLS.map(({ name }) => name);

const INSTALL_OPTIONS: readonly Option[] = inGroup('Install options', [
  {
    name: 'scope',
    value: 'scope',
    help: 'user or project: for you, or for this folder (default: user)',
    values: SCOPES,
  },
  { name: 'entry', value: 'name', help: 'Name of the server in the configuration (default: parley)' },
  { name: 'yes', help: 'Do not ask for confirmation' },
  { name: 'dry-run', help: 'Show the change without writing it' },
  { name: 'undo', help: 'Remove the configuration again' },
  { name: 'print', help: 'Print the configuration to paste; without a tool, for all of them' },
]);

/** Rejects install options when starting the server, which would ignore them. */
function assertServing({ switches, values }: CommandArgs): void {
  const option = INSTALL_OPTIONS.find(({ name }) => switches.has(name) || values[name] !== undefined);
  if (option === undefined) return;
  const hint = `Did you mean "parley mcp install <tool> --${option.name}"?`;
  throw usageError('wrong_option', `--${option.name} is for "parley mcp install"`, hint);
}

export async function installMcp(args: CommandArgs, io: Io, paths: InstallPaths = systemPaths(io)): Promise<number> {
  const tool = TOOLS.find(({ name }) => name === args.positionals.tool);
  if (args.switches.has('print')) return print(tool === undefined ? TOOLS : [tool], args, io, paths);
  if (tool === undefined) {
    throw usageError('missing_argument', '"mcp install" requires <tool>', `One of ${TOOL_NAMES.join(', ')}.`);
  }
  return args.switches.has('undo') ? undo(tool, args, io, paths) : install(tool, args, io, paths);
}

function systemPaths({ env }: Io): InstallPaths {
  return { home: homedir(), project: process.cwd(), script: process.argv[1] ?? '', env };
}

async function print(tools: readonly Tool[], args: CommandArgs, io: Io, paths: InstallPaths): Promise<number> {
  let isUnproven = false;
  for (const [i, tool] of tools.entries()) {
    const request = await resolveRequest(tool, args, io, paths);
    const paste = manualSetup(request);
    io.put(paste);
    io.say(`${i === 0 ? '' : '\n'}${printable(manualSetupLines(request, paste))}`);
    if (request.secret !== null)
      io.note(`note: store the token in ${request.secret.file}, readable only by you (chmod 600)`);
    isUnproven ||= request.isUnproven;
  }
  if (isUnproven) io.note(UNPROVEN);
  return EXIT.done;
}

async function install(tool: Tool, args: CommandArgs, io: Io, paths: InstallPaths): Promise<number> {
  const request = await resolveRequest(tool, args, io, paths);
  const change = await prepareInstall(request);
  const isDone = await settle(change, args, io);
  if (request.isUnproven) io.note(UNPROVEN);
  if (isDone && change.outcome.action !== 'unchanged') io.say(tool.next);
  return EXIT.done;
}

async function undo(tool: Tool, args: CommandArgs, io: Io, paths: InstallPaths): Promise<number> {
  const scope = (args.values.scope ?? 'user') as (typeof SCOPES)[number];
  const key = entryKey(args);
  const file = tool.file(scope, paths);
  const change = await prepareUndo({ tool, scope, key, file }, secretFile(tool, scope, key, paths), paths);
  await settle(change, args, io);
  return EXIT.done;
}

/** Shows the change, asks, and carries it out. False if nothing was written. */
async function settle(change: Change, args: CommandArgs, io: Io): Promise<boolean> {
  const { outcome } = change;
  const isDry = args.switches.has('dry-run');
  const isChange = outcome.action !== 'unchanged';
  if (isChange) show(change, io);
  if (isDry || !isChange) {
    // Carry out an unchanged entry too: its token may be new.
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
    throw usageError(
      'needs_yes',
      'cannot ask for confirmation: not a terminal; nothing was written',
      'Run again with --yes.',
    );
  }
  if (!(await confirm('Write this change? [y/N] ')))
    throw new CommandError('failed', 'not_wanted', 'nothing was written', '');
}

const RESULTS: Readonly<Record<Outcome['action'], string>> = {
  added: 'added to',
  changed: 'changed in',
  removed: 'removed from',
  restored: 'removed; restored the original',
  deleted: 'removed; deleted the file, which contained nothing else:',
  unchanged: 'nothing to change in',
};

function reportOutcome(outcome: Outcome, { lines }: Change, isDry: boolean, io: Io): boolean {
  io.put({ ...outcome, done: !isDry, change: lines.map(plainLine) });
  const kept = outcome.backup === null ? '' : `; backup: ${outcome.backup}`;
  const result = `${outcome.entry}: ${RESULTS[outcome.action]} ${outcome.file}${kept}`;
  io.say(printable(isDry ? 'nothing was written' : result));
  if (!isDry && outcome.token_file !== null) io.note(`note: token file: ${outcome.token_file}`);
  return !isDry;
}

/** How long a tool call waits for an unreachable hub. */
const PATIENCE_MS = 10_000;

export const mcp: Command = {
  name: 'mcp',
  summary: 'Run an MCP server for a coding agent, or add it to its configuration',
  details:
    'Coding agents such as Claude Code, Codex, Cursor, Gemini CLI and opencode start this server and get tools to take part in sessions. It uses stdin and stdout, writes notes to stderr, reconnects when needed, and exits when its input ends. The hub serves the same tools over HTTP at /mcp. "parley mcp install <tool>" configures a tool: it shows the change, asks, and keeps a backup.',
  args: [
    { name: 'action', help: 'install: configure a tool instead of serving', isOptional: true, values: ['install'] },
    { name: 'tool', help: 'install: the tool to configure', isOptional: true, values: TOOL_NAMES },
  ],
  options: [
    {
      name: 'name',
      value: 'name',
      help: "Agent name, registered if new [env: PARLEY_NAME] (default: the token's name, else your login name; with install: the name in the existing entry, else the tool's name)",
    },
    { name: 'max-wait', value: 'duration', help: `How long wait_turn waits: 1s to 10m (default: ${DEFAULT_WAIT})` },
    { name: 'capability', value: 'word', isMany: true, help: 'A capability of the agent, such as review' },
    { name: 'summary', value: 'text', help: 'Purpose of the agent, in one sentence' },
    ...INSTALL_OPTIONS,
  ],
  on: 'hub',
  examples: [
    ['Serve a reviewer', 'parley mcp --name reviewer --capability review --summary "Reads patches."'],
    ['Use a hub on another machine', 'parley mcp --name reviewer --url wss://hub.example:4747 --max-wait 50s'],
    ['Configure Claude Code', 'parley mcp install claude --name reviewer'],
    ['Remove it from Codex', 'parley mcp install codex --undo'],
    ['Print the configuration of every tool', 'parley mcp install --print'],
  ],
  json: 'No effect when serving, because stdout carries the protocol. install: {"tool", "scope", "entry", "file", "action", "backup", "token_file", "done", "change"}; with --print one line per tool, {"tool", "file", "language", "snippet", "command"}.',
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
