/** Everything a hub is to be run with, looked at before anything is made: who mistypes leaves nothing behind. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, resolve } from 'node:path';
import { asError, HubError } from '../core/lib/errors.ts';
import { type Limits, limitsWith } from '../core/records/access/limits.ts';
import { missingFolders } from '../system/make-folder.ts';
import { authenticationOf } from '../server/auth/authenticate.ts';
import { listen } from './wire/listen.ts';
import { checkServeOptions, type ServeOptions, type ServeSettings } from '../server/port/serve-options.ts';

export async function checkUp(data: string, hubLimits: Partial<Limits>, serving: ServeOptions): Promise<void> {
  limitsWith(hubLimits);
  const settings = checkServeOptions(serving);
  await authenticationOf(settings.auth, settings.host, { token: () => null });
  // A folder that is there may be another hub's: it has the port too, and is told first.
  if (await isToBeMade(data)) await checkPort(settings);
}

async function isToBeMade(data: string): Promise<boolean> {
  try {
    const [top] = await missingFolders(data);
    await access(top === undefined ? resolve(data) : dirname(top), constants.W_OK | constants.X_OK);
    return top !== undefined;
  } catch (thrown) {
    throw new HubError('bad_data_folder', `${data} cannot be a data folder: ${asError(thrown).message}`, {
      cause: thrown,
    });
  }
}

/** Opened and closed at once. */
async function checkPort({ host, port }: ServeSettings): Promise<void> {
  const server = createServer();
  await listen(server, { host, port });
  await new Promise<void>((closed) => server.close(() => closed()));
}
