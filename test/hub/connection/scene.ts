/** A connection as text. */

import type { HubFrame } from '../../../src/core/protocol/frames/frames.ts';
import type { World } from '../../../src/testing/doubles/world.ts';

/** A raw connection: sends and receives text. */
export function wire(world: World) {
  const link = world.hub.connect();
  const heard: HubFrame[] = [];
  const state = { closed: false };
  link.onMessage((message) => heard.push(JSON.parse(message)));
  link.onClose(() => {
    state.closed = true;
  });
  const send = async (message: unknown) => {
    link.send(typeof message === 'string' ? message : JSON.stringify(message));
    await world.settle();
    return heard.splice(0);
  };
  return { send, heard, state, link };
}

export const HELLO = { kind: 'hello', protocol: 1, name: 'alice', auth: { scheme: 'none' } };
