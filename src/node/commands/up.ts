/** `parley up`. */

import { HubError } from '../../core/errors.ts';
import type { UpEvent, UpOptions } from '../up.ts';
import { welcomeLines } from '../welcome-lines.ts';
import { reachable } from '../wire/hosts.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { LOG_LEVELS } from './log-level.ts';
import { Trouble } from './trouble.ts';
import { dataOf } from './where.ts';

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
      help: 'A config file of another name or place; docs/config.md has all its settings.',
      values: 'file',
    },
    { name: 'no-console', help: 'Without the console, the page for people at the address of the hub.' },
    { name: 'log-level', value: 'level', help: 'What the hub logs to stderr (info).', values: LOG_LEVELS },
  ],
  examples: ['parley up', 'parley up --port 0 --data /tmp/hub', 'parley up --config team.yaml --log-level warn'],
  json: 'Lines {"event": "listening", "url", "host", "data", "token_file", "console"}, {"event": "stopping", "signal"}, {"event": "stopped"}; of a config file {"event": "joined", "name", "agent_id", "provider", "model"}, {"event": "gone", "name", "reason", "retry_in_ms"}, {"event": "schedule", "name", "schedule_id", "what"}.',
  async run(asked, io) {
    // Loaded when it is needed: help and version come at once.
    const [{ up: run }, { settingsOf }, { planIn }, { bringUp }] = await Promise.all([
      import('../up.ts'),
      import('./up-settings.ts'),
      import('../config/plan.ts'),
      import('../config/bring-up.ts'),
    ]);
    const plan = await planIn(asked.values.config, io.env, { data: dataOf(asked, io) });
    if (plan !== null && asked.values.config === undefined) io.note(`with ${plan.loaded.file}`);
    const settings = await settingsOf(asked, io, plan?.loaded.config.hub ?? {}).catch(explained);
    const telling = (event: UpEvent): void => tell(io, event);
    const companions: UpOptions['bringUp'] = plan === null ? undefined : (hub, log) => bringUp(hub, plan, telling, log);
    await run({ ...settings, tell: telling, bringUp: companions }).catch(explained);
    return EXIT.done;
  },
};

/** An option, or a setting of the config file. */
function explained(thrown: unknown): never {
  if (!(thrown instanceof HubError) || (thrown.code !== 'bad_options' && thrown.code !== 'unsafe_auth')) throw thrown;
  const hint = '"parley up --help" shows the options; docs/config.md has the settings of the file.';
  throw new Trouble('wrong', thrown.code, thrown.message, hint);
}

function tell(io: Io, event: UpEvent): void {
  io.put(event);
  switch (event.event) {
    case 'listening':
      return io.say(
        welcomeLines({
          url: event.url,
          data: event.data,
          tokenFile: event.token_file,
          console: event.console,
          isEverywhere: reachable(event.host) !== event.host,
        }).join('\n'),
      );
    case 'joined':
      return io.say(`${event.name} has joined (${[event.provider, event.model].filter((one) => one).join(' ')})`);
    case 'gone':
      return io.note(`${event.name} is gone: ${event.reason}; ${againIn(event.retry_in_ms)}`);
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
