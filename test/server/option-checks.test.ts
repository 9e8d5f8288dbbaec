// Options that are misspelt or can never fit: refused by name, with those that there are, before anything is opened or made.

import { connect, connectHuman, createHub, type LocalHub } from 'parley-hub';
import { AgentClient } from 'parley-hub/client';
import { SimClock } from 'parley-hub/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countedIds, ScriptedHub } from '../client/scripted-hub.ts';

// biome-ignore lint/suspicious/noExplicitAny: what types forbid and callers without types do
const untyped = (value: unknown): any => value;
const NOWHERE = 'ws://127.0.0.1:1';

let hub: LocalHub;
beforeAll(async () => {
  hub = await createHub();
});
afterAll(() => hub.stop());

it.each([
  [{ expires: '1d' }, 'token.expires: expected label, name, grants, ttl, got "expires"'],
  [{ name: 5 }, 'token.name: expected'],
  [{ ttl: 'soon' }, 'token.ttl: expected'],
  [{ grants: 'enrol' }, 'token.grants: expected a list of grants, got "enrol"'],
  [{ grants: ['admin'] }, 'token.grants.0: expected a grant: operate'],
  ['bob', 'token: expected an object, got "bob"'],
])('[AU13] a token with %j is not made', async (claim, message) => {
  await expect(hub.createToken(untyped(claim))).rejects.toThrow(message);
  expect(hub.tokens()).toEqual([]);
});

it.each([
  [{ tokn: 'x' }, /^tokn: expected a known option \(name, credentials, .*reconnect, token, ca\), got "tokn"$/],
  [{ token: 5 }, /^token: expected a token, as text, got 5$/],
  [{ ca: 5 }, /^ca: expected certificates as PEM: a text, or a list of texts, got 5$/],
  [{ reconnect: { minMS: 5 } }, /^reconnect.minMS: expected a known option \(minMs, maxMs, quietMs\), got "minMS"$/],
  [{ reconnect: { maxMs: '5' } }, /^reconnect.maxMs: expected a number of milliseconds over 0, got "5"$/],
  [{ reconnect: true }, /^reconnect: expected false, or an object/],
  [{ link: () => {} }, /^link: expected a known option/],
])('[AU13, CL4] rejects %j when connecting, and lists the valid options', async (options, message) => {
  for (const join of [connect, connectHuman]) {
    await expect(join(NOWHERE, untyped({ name: 'alice', ...options }))).rejects.toThrow(message);
  }
});

it.each(['typo', 'link', 'ids', 'name'])(
  '[CL4] rejects %s when joining in process, and lists the valid options',
  async (option) => {
    for (const join of [hub.agent, hub.human]) {
      const error = await join('alice', untyped({ [option]: 'x' })).catch((thrown) => thrown);
      expect(error.message).toMatch(new RegExp(`^${option}: expected a known option \\(credentials, .*\\), got`));
      expect(error.message).not.toMatch(/\b(link|ids|name),/);
    }
  },
);

it('[AU13, CL4] a client with a custom link checks reconnect', async () => {
  const reconnect = untyped({ clock: new SimClock(), random: Math.random, minMS: 5 });
  const link = new ScriptedHub().link;
  await expect(AgentClient.connect({ link, name: 'alice', ids: countedIds(), reconnect })).rejects.toThrow(
    'reconnect.minMS: expected a known option (clock, random, minMs, maxMs, quietMs)',
  );
});

it.each([
  [{ origins: ['app'] }, 'origins: expected origins such as "https://app.example.org", or "*", got "app"'],
  [{ origins: ['https://app.example.org/'] }, 'origins: expected origins such as'],
  [{ auth: { jwt: { issuer: 'i', audience: 'a', jwks: { keys: [] } } } }, 'auth.jwt.jwks: expected at least one key'],
  [
    { auth: { jwt: { issuer: 'i', audience: 'a', jwk: 'f' } } },
    'auth.jwt.jwk: unknown option; valid options: issuer, audience',
  ],
])('[AU13, AU9] no port is opened with %j', async (options, message) => {
  await expect(hub.listen({ port: 0, ...untyped(options) })).rejects.toThrow(message);
});

it('[AU13, PO3] accepts origins with custom schemes, and *', async () => {
  const port = await hub.listen({ port: 0, origins: ['*', 'https://app.example.org:8443', 'app://console'] });
  await port.close();
});
