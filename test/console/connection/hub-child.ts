// A hub in its own process, to be killed. Arguments: data folder, port, page folder. A message names a folder to back up to.

import { createHub } from 'parley-hub';

const [data = '', port = '0', folder = ''] = process.argv.slice(2);
const hub = await createHub({ data });
const serving = await hub.listen({ port: Number(port), console: { folder } });
const tokens: Record<string, string> = {};
// Tokens survive a restart: create them only once.
if (hub.tokens().length === 0) {
  for (const name of ['ann', 'dora', 'alice', 'bob', 'carol']) {
    tokens[name] = (await hub.createToken({ name, grants: ['observe', 'enrol'] })).token;
  }
  tokens.erin = (await hub.createToken({ name: 'erin', grants: [] })).token;
}
process.on('message', async (backup) => {
  await hub.backup(String(backup));
  process.send?.({ backup });
});
process.send?.({ port: serving.port, tokens });
