import { createHub } from 'parley-hub/node';
import { expect, it } from 'vitest';

it('[CL26, CL15] sessions whose invite was declined are forgotten in the end', async () => {
  const hub = await createHub();
  const alice = await hub.agent('alice');
  const bob = await hub.agent('bob', { onInvite: () => false });
  const opened = async () =>
    alice.open('conversation', { participants: ['bob'] }).catch((error) => error.details.session_id);
  const first = await opened();
  const handle = bob.session(first);
  for (let i = 0; i < 1000; i++) await opened();
  expect(bob.session(first)).not.toBe(handle);
  await hub.stop();
});
