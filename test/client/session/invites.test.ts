import { createHub } from 'parley-hub/node';
import { expect, it } from 'vitest';
import { panel } from '../../hub/panel.ts';
import { itDeep } from '../../support/size.ts';

itDeep('[CL26, CL15] forgets sessions whose invite was declined', async () => {
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

it('[MB1, CL15] an invitee cannot leave, only decline', async () => {
  const hub = await createHub();
  const heard: unknown[] = [];
  const alice = await hub.agent('alice', {
    onEvent({ event_type, event_data }) {
      if (event_type === 'session.invite.reject') heard.push(event_data.reason);
    },
  });
  let ask: (id: string) => void = () => {};
  const asked = new Promise<string>((resolve) => {
    ask = resolve;
  });
  const bob = await hub.agent('bob', {
    onInvite({ session }) {
      ask(session.id);
      return new Promise<boolean>(() => {});
    },
  });
  const opening = alice.open('conversation', { participants: ['bob'] }).catch((error) => error.code);
  const id = await asked;
  await expect(bob.session(id).leave()).rejects.toMatchObject({ code: 'protocol_error' });
  expect(await bob.decline(id, 'busy')).toEqual({ state: 'CLOSED' });
  expect(await opening).toBe('session_closed');
  expect(heard).toEqual(['busy']);
  await hub.stop();
});

it('[MB3, CL15] an agent that declined can be invited again and join', async () => {
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
