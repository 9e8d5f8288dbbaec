/** A peer whose unsent bytes are set by the test. */

import { linkPair } from '../../src/core/lib/link.ts';
import { Peer } from '../../src/testing/doubles/peer.ts';
import type { World } from '../../src/testing/doubles/world.ts';

export interface SlowLink {
  readonly peer: Peer;
  /** Unsent bytes. */
  unsent: number;
  /** Everything is sent. */
  drain(): void;
}

/** `counting`: every sent byte counts as unsent until the next drain. */
export function slowLink(world: World, { counting = false } = {}): SlowLink {
  const [hubEnd, peerEnd] = linkPair();
  let drained = (): void => {};
  const slow: SlowLink = {
    peer: new Peer(peerEnd),
    unsent: 0,
    drain() {
      slow.unsent = 0;
      drained();
    },
  };
  world.hub.accept({
    send: (text) => {
      if (counting) slow.unsent += text.length;
      hubEnd.send(text);
    },
    onMessage: (receive) => hubEnd.onMessage(receive),
    onClose: (closed) => hubEnd.onClose(closed),
    close: () => hubEnd.close(),
    get unsentBytes() {
      return slow.unsent;
    },
    onDrain: (run) => {
      drained = run;
    },
  });
  return slow;
}
