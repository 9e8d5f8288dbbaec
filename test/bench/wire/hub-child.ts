/** Parley, durable, behind a port. */

import { createHub } from 'parley-hub';
import { conversation } from 'parley-hub/adapters/conversation';
import { answerOrders } from './orders.ts';

const room = {
  ...conversation,
  manifest: { ...conversation.manifest, type: 'bench_room', participants: { min: 2, max: 16, roles: [] } },
  validateCreate() {},
};

const [folder = ''] = process.argv.slice(2);
const hub = await createHub({ data: folder, adapters: [room] });
const { port } = await hub.listen({ port: 0, auth: { none: true } });
answerOrders<{ readonly observers?: readonly string[]; readonly cpu?: true }>(
  async ({ observers = [], cpu }) => {
    if (cpu === true) return process.cpuUsage();
    for (const name of observers) await hub.grant(name, ['observe']);
    return port;
  },
  () => hub.stop(),
);
