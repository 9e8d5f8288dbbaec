/** `parley doctor`. */

import type { Plan } from '../../config/plan.ts';
import { DEFAULT_PORT } from '../../server/port/serve-options.ts';
import { resolveDataFolders } from '../connecting/hub-target.ts';
import { type Command, type CommandArgs, READER_OPTION } from '../terminal/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { type Check, createChecks } from './doctor-checks.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check environment, config file, data folder, port, disk and clock',
  details:
    'Writes and removes a small file in the data folder, or beside it, to time the disk. Exits with 8 if something is wrong.',
  options: [
    {
      name: 'config',
      value: 'file',
      help: 'Config file to check (default: the one in this folder). Loads its scripts; no agent joins',
      values: 'file',
    },
    READER_OPTION,
  ],
  on: 'hub',
  examples: [
    ['Check this folder', 'parley doctor'],
    ['Check a config file', 'parley doctor --config team.yaml'],
    ['Check a data folder in a script', 'parley doctor --data /var/lib/parley --json'],
  ],
  json: '{"ok", "checks": [{"name", "ok", "found", "hint"}]}.',
  async run(args: CommandArgs, io: Io) {
    const checks: Check[] = [];
    const { check: config, around } = await checkConfigFile(args, io);
    const looks = createChecks(around, io);
    for (const look of config === null ? looks : [async () => config, ...looks]) {
      const check = await look();
      checks.push(check);
      if (!io.isJson) print(io, check);
    }
    const ok = checks.every((check) => check.ok);
    io.put({ ok, checks });
    return ok ? EXIT.done : EXIT.found;
  },
};

function print(io: Io, { name, ok, found, hint }: Check): void {
  const { paint } = io.terminal;
  const lines = found.replaceAll('\n', `\n${' '.repeat(20)}`);
  io.say(`${ok ? paint('ok   ', 'green') : paint('wrong', 'red')}  ${name.padEnd(12)} ${lines}`);
  if (!ok) io.say(paint(`                     ${hint}`, 'yellow'));
}

/** null if there is no config file. The other checks then use the hub it describes. */
export async function checkConfigFile(
  args: CommandArgs,
  io: Io,
): Promise<{ readonly check: Check | null; readonly around: CommandArgs }> {
  const { findPlan } = await import('../../config/plan.ts');
  try {
    const plan = await findPlan(args.values.config, io.env, { data: resolveDataFolders(args, io) });
    if (plan === null) return { check: null, around: args };
    const check = { name: 'config', ok: true, found: summary(plan), hint: '' };
    return { check, around: withHubOf(args, io, plan) };
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown;
    const found = [thrown.message, ...thrown.problems].join('\n');
    return { check: { name: 'config', ok: false, found, hint: thrown.hint }, around: args };
  }
}

/** Names only: values may contain secrets. */
function summary({ loaded: { file, config } }: Plan): string {
  const parts = (['agents', 'roles', 'rules', 'schedules'] as const).flatMap((part) => {
    const names = Object.keys(config[part] ?? {});
    return names.length === 0 ? [] : [`${part} ${names.join(', ')}`];
  });
  return [file, ...parts].join('; ');
}

function withHubOf(args: CommandArgs, { env }: Io, { loaded }: Plan): CommandArgs {
  const { data, port = DEFAULT_PORT, host = '127.0.0.1', tls } = loaded.config.hub ?? {};
  const isElsewhere = args.values.url !== undefined || Boolean(env.PARLEY_URL);
  const url = `${tls === undefined ? 'ws' : 'wss'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const values = {
    ...(data === undefined ? {} : { data }),
    ...(isElsewhere || port === 0 ? {} : { url }),
    ...args.values,
  };
  return { ...args, values };
}
