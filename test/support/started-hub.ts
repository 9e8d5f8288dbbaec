/** A hub with an open port for one test. It stops after the test, after everything opened later. */

import { type CreateHubOptions, createHub, type HubServer, type LocalHub, type ServeOptions } from 'parley-hub';
import { onTestFinished } from 'vitest';

export interface StartedHub {
  readonly hub: LocalHub;
  readonly port: HubServer;
  readonly url: string;
}

/** On any free port; clients require a token unless `auth` says otherwise. */
export async function startedHub(serving: ServeOptions = {}, options: CreateHubOptions = {}): Promise<StartedHub> {
  const hub = await createHub(options);
  onTestFinished(() => hub.stop());
  const port = await hub.listen({ port: 0, ...serving });
  return { hub, port, url: port.url };
}

/** On any free port; clients require no credential. */
export function openHub(serving: ServeOptions = {}, options: CreateHubOptions = {}): Promise<StartedHub> {
  return startedHub({ auth: { none: true }, ...serving }, options);
}
