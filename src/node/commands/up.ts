/** `parley up`. */

import { HubError } from '../../core/errors.ts';
import type { UpEvent } from '../up.ts';
import { welcomeLines } from '../welcome-lines.ts';
import { reachable } from '../wire/hosts.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { LOG_LEVELS } from './log-level.ts';
import { Trouble } from './trouble.ts';

export const up: Command = {
  name: 'up',
  summary: 'Run a hub: it listens on 127.0.0.1:4747 and keeps everything in .parley.',
  details:
    'It ends in good order on Ctrl-C or SIGTERM. Options count before the settings of --config, and these before what is usual.',
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
      help: 'Settings in JSON or YAML; docs/operating.md has them all.',
      values: 'file',
    },
    { name: 'log-level', value: 'level', help: 'What the hub logs to stderr (info).', values: LOG_LEVELS },
  ],
  examples: ['parley up', 'parley up --port 0 --data /tmp/hub', 'parley up --config hub.yaml --log-level warn'],
  json: 'Lines {"event": "listening", "url", "host", "data", "token_file"}, {"event": "stopping", "signal"}, {"event": "stopped"}.',
  async run(asked, io) {
    // Loaded when it is needed: help and version come at once.
    const [{ up: run }, { settingsOf }] = await Promise.all([import('../up.ts'), import('./up-settings.ts')]);
    const settings = await settingsOf(asked, io).catch(explained);
    await run({ ...settings, tell: (event) => tell(io, event) }).catch(explained);
    return EXIT.done;
  },
};

/** An option or a setting of --config. */
function explained(thrown: unknown): never {
  if (!(thrown instanceof HubError) || (thrown.code !== 'bad_options' && thrown.code !== 'unsafe_auth')) throw thrown;
  const hint = '"parley up --help" shows the options; docs/operating.md has the settings of --config.';
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
          isEverywhere: reachable(event.host) !== event.host,
        }).join('\n'),
      );
    case 'stopping':
      return io.say(`${event.signal}: saying goodbye and writing what is left`);
    case 'stopped':
      return io.say('stopped');
  }
}
