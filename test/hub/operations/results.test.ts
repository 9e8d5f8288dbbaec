// Every call of a Peer checks the results of the table; these tests prove that it finds a wrong one.

import { linkPair, WireError } from 'parley-hub/core';
import { Peer } from 'parley-hub/testing';
import { expect, it } from 'vitest';

const ID = '0123456789abcdef0123456789abcdef';
const answer = { envelope_id: ID, seq: 4, created_at: '2026-01-01T00:00:00.000Z', turn: null };
const post = { session_id: ID, event_type: 'msg.text', event_data: { text: 'hi' } };

/** A peer of a hub that answers every request with this result. */
function peerAnswered(result: unknown): Peer {
  const [client, hub] = linkPair();
  hub.onMessage((text) => {
    const { request_id } = JSON.parse(text) as { request_id: string };
    hub.send(JSON.stringify({ kind: 'response', request_id, ok: true, result }));
  });
  return new Peer(client);
}

it('[OP1] returns a valid answer unchanged', async () => {
  expect(await peerAnswered(answer).call('post', post)).toEqual(answer);
});

it.each([
  ['lacks a field', { ...answer, turn: undefined }, 'result.turn: expected an object, got nothing'],
  ['has one too many', { ...answer, secret: 'x' }, 'result.secret: expected one of'],
  ['has a wrong value', { ...answer, seq: 0 }, 'result.seq: expected a whole number from 1 to'],
  ['is no object', null, 'result: expected an object, got null'],
])('[OP1] fails on an answer that %s, and not with a refusal', async (_what, result, message) => {
  const error: unknown = await peerAnswered(result)
    .call('post', post)
    .catch((thrown: unknown) => thrown);
  expect(error).not.toBeInstanceOf(WireError);
  expect(error).toMatchObject({
    message: expect.stringContaining(`the answer to post does not match OPERATIONS.post.result: ${message}`),
  });
});
