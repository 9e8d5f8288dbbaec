/** `parley up`. */

import { HubError } from '../../core/lib/errors.ts';
import { reachableHost } from '../../server/auth/hosts.ts';
import { LOG_LEVELS } from '../../server/telemetry/line-log.ts';
import type { UpEvent, UpOptions } from '../../server/up.ts';
import { resolveDataFolders } from '../connecting/hub-target.ts';
import type { Command } from '../terminal/command.ts';
import { usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine } from '../terminal/printable.ts';
import { welcomeLines } from './welcome-lines.ts';

export const up: Command = {
  name: 'up',
  summary: 'Run a hub: it listens on 127.0.0.1:4747 and keeps everything in .parley.',
  details:
    'It ends in good order on Ctrl-C or SIGTERM. A parley.config.json, .yaml, .yml, .ts, .js or .mjs in this folder is taken if there is one, and brings up the agents in it too: they join before anybody else can, or nothing is started. Options count before the file, and that before what is usual.',
  options: [
    { name: 'port', value: 'number', help: 'The port to listen on (4747; 0 = any that is free).' },
    { name: 'host', value: 'name', help: 'The address to listen on (127.0.0.1).' },
    { name: 'data', value: 'folder', help: 'Where everything is kept (PARLEY_DATA, or .parley).', values: 'folder' },
    { name: 'tls-cert', value: 'file', help: 'A certificate as PEM: then it speaks wss.', values: 'file' },
    { name: 'tls-key', value: 'file', help: 'The key of that certificate.', values: 'file' },
    {
      name: 'auth',
      value: 'proof',
      help: 'tokens: what the hub made (usual). none: anybody on this machine is anybody, and may not operate. A JWT issuer is set in --config.',
      values: ['tokens', 'none'],
    },
    {
      name: 'config',
      value: 'file',
      help: 'A config file of another name or place; docs/reference/config.md has all its settings.',
      values: 'file',
    },
    {
      name: 'run',
      value: 'folder',
      help: 'Serve the governed runs of this project: they are sessions of this hub, and "parley run" there asks it.',
      values: 'folder',
      isMany: true,
    },
    {
      name: 'holds',
      value: 'role=name',
      help: 'With one --run: who of the hub holds a role of it, such as dev=alice. The runtimes of agentxchain.json see to the others.',
      isMany: true,
    },
    {
      name: 'conformance',
      help: 'Do fixtures of governed runs under /conform/ (http-fixture-v1). Fixtures run commands: only on the loopback, and only for who has the token of it.',
    },
    {
      name: 'conformance-token',
      value: 'token',
      help: 'That token (PARLEY_CONFORMANCE_TOKEN is safer: it is not shown to who lists processes). Without it one is made, in conformance-token of the data folder.',
    },
    { name: 'no-console', help: 'Without the console, the page for people at the address of the hub.' },
    { name: 'log-level', value: 'level', help: 'What the hub logs to stderr (info).', values: LOG_LEVELS },
  ],
  examples: [
    'parley up',
    'parley up --port 0 --data /tmp/hub',
    'parley up --config team.yaml --log-level warn',
    'parley up --run . --holds dev=alice',
    'parley up --conformance',
  ],
  json: 'Lines {"event": "listening", "url", "host", "data", "token_file", "console"} (with --conformance also "conformance": {"url", "token_file"}), {"event": "stopping", "signal"}, {"event": "stopped"}; of a config file {"event": "joined", "name", "agent_id", "provider", "model"}, {"event": "gone", "name", "reason", "retry_in_ms"}, {"event": "schedule", "name", "schedule_id", "what"}; of --run {"event": "serves", "root", "runner", "operator"}.',
  async run(args, io) {
    // Loaded when it is needed: help and version come at once.
    const [{ up: run }, { resolveUpSettings, servedProjects, startInOrder }, { findPlan }, { startAgents }] =
      await Promise.all([
        import('../../server/up.ts'),
        import('./up-settings.ts'),
        import('../../config/plan.ts'),
        import('../../config/start-agents.ts'),
      ]);
    const plan = await findPlan(args.values.config, io.env, { data: resolveDataFolders(args, io) });
    if (plan !== null && args.values.config === undefined) io.note(`with ${plan.loaded.file}`);
    const settings = await resolveUpSettings(args, io, plan?.loaded.config.hub ?? {}).catch(explained);
    const report = (event: UpEvent): void => reportEvent(io, event);
    const roots = await servedProjects(args, settings.data);
    const companions: UpOptions['startAgents'] = (hub, log) =>
      startInOrder([
        ...(plan === null ? [] : [() => startAgents(hub, plan, report, log)]),
        ...roots.map((serve) => () => serve(hub, log, report)),
      ]);
    await run({ ...settings, tell: report, startAgents: companions }).catch(explained);
    return EXIT.done;
  },
};

/** An option, or a setting of the config file. */
function explained(thrown: unknown): never {
  if (!(thrown instanceof HubError) || (thrown.code !== 'bad_options' && thrown.code !== 'unsafe_auth')) throw thrown;
  const hint = '"parley up --help" shows the options; docs/reference/config.md has the settings of the file.';
  throw usageError(thrown.code, thrown.message, hint);
}

function reportEvent(io: Io, event: UpEvent): void {
  io.put(event);
  switch (event.event) {
    case 'listening':
      return io.say(
        welcomeLines({
          url: event.url,
          data: event.data,
          tokenFile: event.token_file,
          console: event.console,
          isEverywhere: reachableHost(event.host) !== event.host,
          conformance: event.conformance,
        }).join('\n'),
      );
    case 'joined':
      return io.say(`${event.name} has joined (${[event.provider, event.model].filter((one) => one).join(' ')})`);
    case 'gone':
      return io.note(`${event.name} is gone: ${event.reason}; ${againIn(event.retry_in_ms)}`);
    case 'serves':
      return io.say(printableLine(`serves the runs of ${event.root}`));
    case 'schedule':
      return io.say(`schedule ${event.name}: ${event.what}`);
    case 'stopping':
      return io.say(`${event.signal}: saying goodbye and writing what is left`);
    case 'stopped':
      return io.say('stopped');
  }
}

function againIn(ms: number | null): string {
  return ms === null ? 'it comes back at the next start' : `again in ${ms / 1000} s`;
}
