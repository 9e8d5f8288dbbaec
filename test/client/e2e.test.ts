import { createHub } from 'parley-hub';
import { createHub as createHubInProcess } from 'parley-hub/node';
import { WebSocket } from 'ws';
import { type Socket, socketLink } from '../../src/client/connection/socket-link.ts';
import { describeEndToEnd } from './end-to-end.ts';

describeEndToEnd('a link in this process', () => createHubInProcess());

describeEndToEnd('sockets', async () => {
  const hub = await createHub();
  const { url } = await hub.listen({ port: 0, auth: { none: true } });
  return {
    connect: () => socketLink(new WebSocket(url) as unknown as Socket),
    grant: (agent, grants) => hub.grant(agent, grants),
    revoke: (agent, grants) => hub.revoke(agent, grants),
    hideParticipant: (sessionId, agent) => hub.hideParticipant(sessionId, agent),
    removeParticipant: (sessionId, agent) => hub.removeParticipant(sessionId, agent),
    stop: () => hub.stop(),
  };
});
