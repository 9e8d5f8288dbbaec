// The same as in process, over real sockets.

import { createHub } from 'parley-hub';
import { WebSocket } from 'ws';
import { type Socket, socketLink } from '../../src/client/socket-link.ts';
import { describeEndToEnd } from './end-to-end.ts';

describeEndToEnd('sockets', async () => {
  const hub = await createHub();
  const { url } = await hub.listen({ port: 0, auth: { none: true } });
  return { connect: () => socketLink(new WebSocket(url) as unknown as Socket), stop: () => hub.stop() };
});
