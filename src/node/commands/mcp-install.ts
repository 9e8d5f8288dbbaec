/** `parley mcp install`: the part of `parley mcp` that sets tools up. */

import { homedir } from 'node:os';
import { isYes } from '../mcp-install/ask.ts';
import { type Change, type Outcome, prepareInstall, prepareUndo } from '../../mcp/install/install.ts';
import { pasteLines, pasteOf } from '../mcp-install/paste.ts';
import { entryKey, requestOf, secretFile } from '../../mcp/install/request.ts';
import { plainLine } from '../../mcp/install/preview.ts';
import { type Places, SCOPES, TOOLS, type Tool } from '../../mcp/install/tools.ts';
import type { Argument, Asked, Option } from '../../cli/terminal/command.ts';
import { EXIT } from '../../cli/terminal/exit-codes.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { printable } from '../../cli/terminal/printable.ts';
import { Trouble } from '../../cli/terminal/command-error.ts';

const UNPROVEN =
  'note: no token was found; give one with PARLEY_TOKEN or --token-file, or the data folder of "parley up" with --data';
const TOOL_NAMES = TOOLS.map(({ name }) => name);

export const INSTALL_ARGS: readonly Argument[] = [
  { name: 'action', help: 'install: set a tool up instead of serving.', isOptional: true, values: ['install'] },
  { name: 'tool', help: 'install: which.', isOptional: true, values: TOOL_NAMES },
];

export const INSTALL_OPTIONS: readonly Option[] = [
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
export function assertServing({ switches, values }: Asked): void {
  const given = INSTALL_OPTIONS.find(({ name }) => switches.has(name) || values[name] !== undefined);
  if (given === undefined) return;
  const hint = `Did you mean "parley mcp install <tool> --${given.name}"?`;
  throw new Trouble('wrong', 'wrong_option', `--${given.name} is for "parley mcp install"`, hint);
}

export async function installMcp(asked: Asked, io: Io, places: Places = placesOf(io)): Promise<number> {
  const tool = TOOLS.find(({ name }) => name === asked.args.tool);
  if (asked.switches.has('print')) return print(tool === undefined ? TOOLS : [tool], asked, io, places);
  if (tool === undefined) {
    throw new Trouble('wrong', 'missing_argument', '"mcp install" needs <tool>', `One of ${TOOL_NAMES.join(', ')}.`);
  }
  return asked.switches.has('undo') ? undo(tool, asked, io, places) : install(tool, asked, io, places);
}

function placesOf({ env }: Io): Places {
  return { home: homedir(), project: process.cwd(), script: process.argv[1] ?? '', env };
}

async function print(tools: readonly Tool[], asked: Asked, io: Io, places: Places): Promise<number> {
  let isUnproven = false;
  for (const [i, tool] of tools.entries()) {
    const request = await requestOf(tool, asked, io, places);
    const paste = pasteOf(request);
    io.put(paste);
    io.say(`${i === 0 ? '' : '\n'}${printable(pasteLines(request, paste))}`);
    if (request.secret !== null)
      io.note(`note: the token belongs into ${request.secret.file}, for your eyes only (chmod 600)`);
    isUnproven ||= request.isUnproven;
  }
  if (isUnproven) io.note(UNPROVEN);
  return EXIT.done;
}

async function install(tool: Tool, asked: Asked, io: Io, places: Places): Promise<number> {
  const request = await requestOf(tool, asked, io, places);
  const change = await prepareInstall(request);
  const isDone = await settle(change, asked, io);
  if (request.isUnproven) io.note(UNPROVEN);
  if (isDone && change.outcome.action !== 'unchanged') io.say(tool.next);
  return EXIT.done;
}

async function undo(tool: Tool, asked: Asked, io: Io, places: Places): Promise<number> {
  // Checked against the list by the parser.
  const scope = (asked.values.scope ?? 'user') as (typeof SCOPES)[number];
  const key = entryKey(asked);
  const file = tool.file(scope, places);
  const change = await prepareUndo({ tool, scope, key, file }, secretFile(tool, scope, key, places), places);
  await settle(change, asked, io);
  return EXIT.done;
}

/** Shows it, asks, does it. False = it was not to be done. */
async function settle(change: Change, asked: Asked, io: Io): Promise<boolean> {
  const { outcome } = change;
  const isDry = asked.switches.has('dry-run');
  const isChange = outcome.action !== 'unchanged';
  if (isChange) show(change, io);
  if (isDry || !isChange) {
    // A token may be new where the entry is not.
    if (!isDry) await change.carryOut();
    return tell(outcome, change, isDry, io);
  }
  await consent(change, asked, io);
  await change.carryOut();
  return tell(outcome, change, false, io);
}

function show({ outcome, lines }: Change, io: Io): void {
  io.say(printable(`${outcome.file}:`));
  for (const line of lines) {
    const text = printable(plainLine(line));
    io.say(line.kind === 'same' ? text : io.terminal.paint(text, line.kind === 'in' ? 'green' : 'red'));
  }
}

async function consent({ outcome, lines }: Change, asked: Asked, io: Io): Promise<void> {
  if (asked.switches.has('yes')) return;
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true || io.isJson) {
    io.put({ ...outcome, done: false, change: lines.map(plainLine) });
    throw new Trouble('wrong', 'needs_yes', `nobody can be asked here; nothing was written`, 'Say "--yes" to do it.');
  }
  if (!(await isYes('Do it? [y/N] '))) throw new Trouble('failed', 'not_wanted', 'nothing was written', '');
}

const SAID: Readonly<Record<Outcome['action'], string>> = {
  added: 'added to',
  changed: 'changed in',
  removed: 'taken out of',
  restored: 'taken out: as it was before,',
  deleted: 'taken out: there was nothing else in it, so it is gone,',
  unchanged: 'nothing to change in',
};

function tell(outcome: Outcome, { lines }: Change, isDry: boolean, io: Io): boolean {
  io.put({ ...outcome, done: !isDry, change: lines.map(plainLine) });
  const kept = outcome.backup === null ? '' : `; what it was is in ${outcome.backup}`;
  io.say(printable(isDry ? 'nothing was written' : `${outcome.entry}: ${SAID[outcome.action]} ${outcome.file}${kept}`));
  if (!isDry && outcome.token_file !== null) io.note(`note: the token: ${outcome.token_file}`);
  return !isDry;
}
