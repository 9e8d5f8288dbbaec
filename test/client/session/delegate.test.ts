// session.delegate() as users see it: the result, who receives what, and how a wait ends.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type LocalHub } from 'parley-hub/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentOptions } from '../../../src/client/agent-client.ts';

let hub: LocalHub;
beforeEach(async () => {
  hub = await createHub();
});
afterEach(() => hub.stop());

async function parentOf(options: Partial<AgentOptions> = {}) {
  const alice = await hub.agent('alice', options);
  await hub.agent('bob');
  return { alice, session: await alice.open('conversation', ['bob']) };
}

describe('session.delegate', () => {
  it('[DG11] returns the reply; no handler of the delegating client sees messages or turns of the child', async () => {
    const heard: string[] = [];
    const { session } = await parentOf({
      onMessage: ({ text }) => void heard.push(`message ${text}`),
      onTurn: (_offer, { id }) => void (id === session.id || heard.push('turn')),
    });
    await hub.agent('carol', { onMessage: (message) => message.reply(`${message.text} Yes.`) });
    const { outcome, reply } = await session.delegate('carol', 'Is it done?');
    expect([outcome, reply?.text]).toEqual(['replied', 'Is it done? Yes.']);
    const second = await session.delegate('carol', 'And this?');
    expect(second.reply?.text).toBe('And this? Yes.');
    expect(heard).toEqual([]);
  });

  it.each(['client', 'hub'])('[DG11] nor does a repeat under the same key in a new %s', async (what) => {
    await hub.stop();
    const data = await mkdtemp(join(tmpdir(), 'parley-'));
    hub = await createHub({ data });
    const { alice, session } = await parentOf();
    const first = await hub.agent('carol');
    const begun = await session.delegate('carol', 'Well?', { key: 'k', wait: 'opened' });
    const id = begun.child_session_id ?? '';
    await first.session(id).waitFor('msg.text');
    alice.close();
    if (what === 'hub') {
      await hub.stop();
      hub = await createHub({ data });
    }
    const heard: string[] = [];
    const again = await hub.agent('alice', {
      onMessage: (message) => void heard.push(`message ${message.text}`),
      onTurn: (_offer, { id: where }) => void (where === id && heard.push('turn')),
    });
    const waiting = again.session(session.id).delegate('carol', 'Well?', { key: 'k' });
    const carol = what === 'hub' ? await hub.agent('carol') : first;
    await carol.session(id).send('Yes.');
    expect((await waiting).reply?.text).toBe('Yes.');
    // It ends when everything in it is acked.
    await again.session(id).ended();
    expect(heard).toEqual([]);
    const said = [];
    for await (const { event_data } of again.session(id).log())
      if (event_data.text !== undefined) said.push(event_data.text);
    expect(said).toEqual(['Well?', 'Yes.']);
    await hub.stop();
    await rm(data, { recursive: true });
  });

  it('[DG11] delegates by capability to any agent that offers it', async () => {
    const { session } = await parentOf();
    const carol = await hub.agent('carol', { onMessage: (message) => message.reply('Yes.') });
    await carol.setResume({ claimedCapabilities: ['review'] });
    const { reply } = await session.delegate({ capability: 'review' }, 'Is it good?');
    expect(reply?.sender_id).toBe(carol.agentId);
  });

  it('[DG11] gives each of several concurrent delegations a result, even if one declines', async () => {
    const { session } = await parentOf();
    await hub.agent('carol', { onMessage: (message) => message.reply('Yes.') });
    await hub.agent('dave', { onInvite: () => false });
    const answers = await Promise.all(['carol', 'dave', 'carol'].map((name) => session.delegate(name, 'Well?')));
    expect(answers.map(({ outcome }) => outcome)).toEqual(['replied', 'rejected', 'replied']);
  });

  it('[DG11] answers more delegations than a connection can hold open, and requests made meanwhile', async () => {
    const { alice, session } = await parentOf();
    await hub.agent('carol', { onMessage: (message) => message.reply('Yes.') });
    const all = Array.from({ length: 80 }, () => session.delegate('carol', 'Well?'));
    const other = await alice.open('conversation', ['bob']);
    expect(other.state).toBe('ACTIVE');
    expect((await Promise.all(all)).every(({ outcome }) => outcome === 'replied')).toBe(true);
  });

  it('[DG11] an aborted signal ends only the wait: the key finds the delegation again', async () => {
    const { session } = await parentOf();
    const carol = await hub.agent('carol');
    const stop = new AbortController();
    const waiting = session.delegate('carol', 'Well?', { key: 'k', signal: stop.signal });
    const begun = await session.delegate('carol', 'Well?', { key: 'k', wait: 'opened' });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const again = session.delegate('carol', 'Well?', { key: 'k' });
    const child = carol.session(begun.child_session_id ?? '');
    await child.waitFor('msg.text');
    await child.send('Yes.');
    expect(await again).toMatchObject({ outcome: 'replied', duplicate: true });
    await expect(session.delegate('carol', 'Well?', { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('[DG11, CL17] rejects unknown options', async () => {
    const { session } = await parentOf();
    await expect(session.delegate('carol', 'Well?', { timeoutMs: 5 } as never)).rejects.toThrow(
      'timeoutMs: expected a known option',
    );
  });

  it('[DG1] reserves the label of a delegation for the hub', async () => {
    const { alice } = await parentOf();
    const forged = alice.open('conversation', { participants: ['bob'], labels: { delegation: 'x' } });
    await expect(forged).rejects.toMatchObject({
      code: 'invalid_create',
      details: { field: 'params.labels.delegation' },
    });
  });
});
