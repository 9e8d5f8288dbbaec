import { createHub } from 'parley-hub/node';
import { expect, it } from 'vitest';
import { panel } from '../hub/panel.ts';

it('[MB3, CL15] one who declined is asked again, and joins if it wants to by then', async () => {
  const hub = await createHub({ adapters: [panel] });
  const alice = await hub.agent('alice');
  await hub.agent('bob', { onMessage: () => {} });
  const asked: string[] = [];
  const heard: string[] = [];
  const dave = await hub.agent('dave', {
    onInvite({ role, from }) {
      asked.push(`${role} by ${from}`);
      return asked.length > 1 || { reject: 'not now' };
    },
    onMessage: ({ text }) => void heard.push(text),
  });
  const session = await alice.open('panel', ['bob']);
  await session.send('before');
  const declined = session.waitFor('session.invite.reject');
  await session.add('dave');
  expect((await declined).event_data.reason).toBe('not now');
  const joined = session.waitFor('session.participant.joined');
  expect(await session.add('dave')).toMatchObject({ participant: { name: 'dave', status: 'invited' } });
  await joined;
  await session.send('only for dave', { to: ['dave'] });
  await dave.session(session.id).send('here');
  expect((await session.waitFor('msg.text')).event_data.text).toBe('here');
  expect(asked).toEqual(['participant by alice', 'participant by alice']);
  await session.close('done', { wait: 'closed' });
  expect(heard).toEqual(['before', 'only for dave']);
  await hub.stop();
});
