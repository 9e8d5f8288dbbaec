// A port that speaks TLS, with certificates made for this run.

import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, createHub, type LocalHub } from 'parley-hub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Certificate, hasOpenssl, selfSigned } from './certificates.ts';

describe.skipIf(!hasOpenssl)('with TLS (needs the command openssl)', () => {
  let ours: Certificate;
  let theirs: Certificate;
  let hub: LocalHub;
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([selfSigned(), selfSigned()]);
    hub = await createHub();
  });
  afterAll(async () => {
    await hub.stop();
    await Promise.all([ours.remove(), theirs.remove()]);
  });
  const none = { auth: { none: true } } as const;

  it('[PO9] clients that trust the certificate talk over wss; the plain port is not there', async () => {
    const port = await hub.listen({ port: 0, tls: ours, ...none });
    expect(port.url).toMatch(/^wss:\/\/127\.0\.0\.1:\d+$/);
    const bob = await connect(port.url, {
      name: 'bob',
      ca: ours.cert,
      onMessage: (message) => message.reply(`you said ${message.text}`),
    });
    const alice = await connect(port.url, { name: 'alice', ca: [ours.cert] });
    const session = await alice.open('consulting', ['bob']);
    await session.send('hello');
    expect((await session.waitFor('msg.text')).event_data.text).toBe('you said hello');
    const plain = connect(port.url.replace('wss', 'ws'), { name: 'eve', reconnect: false });
    await expect(plain).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/cannot be reached: /),
    });
    for (const client of [alice, bob]) client.close();
    await port.close(0);
  });

  it('[PO9, CB11] a certificate nobody vouches for is refused by the client, which says why and where', async () => {
    const port = await hub.listen({ port: 0, tls: ours, ...none });
    for (const ca of [undefined, theirs.cert]) {
      const refused = connect(port.url, { name: 'carol', ca });
      await expect(refused).rejects.toMatchObject({
        code: 'unavailable',
        details: { outcome: 'refused' },
        message: expect.stringMatching(/^wss:\/\/127\.0\.0\.1:\d+ cannot be reached: .*self-signed certificate/),
      });
    }
    expect(hub.health().connections).toBe(0);
    await port.close(0);
  });

  it('[PO9, PO2] a key and a certificate that are none, or do not belong together, are refused before the port opens', async () => {
    const opened = (tls: object) => hub.listen({ port: 0, tls: { ...ours, ...tls } as never, ...none });
    const wrong = { code: 'bad_options', message: expect.stringMatching(/^tls: expected a certificate and its key/) };
    await expect(opened({ key: 'not a key' })).rejects.toMatchObject(wrong);
    await expect(opened({ cert: 'not a certificate' })).rejects.toMatchObject(wrong);
    await expect(opened({ key: theirs.key })).rejects.toMatchObject(wrong);
    await expect(opened({ ca: 'x' })).resolves.toBeDefined();
    await expect(opened({ key: 7 })).rejects.toThrow('tls.key: expected the text of a PEM file, got 7');
    expect(await opened({ key: theirs.key }).catch((thrown: Error) => thrown.message)).not.toContain(theirs.key);
  });

  it('[PO11, PO5] cuts off a client that does not speak TLS, without delaying a stop', async () => {
    const port = await hub.listen({ port: 0, tls: ours, ...none, limits: { handshakeMs: 50 } });
    const silent = connectTcp(port.port, '127.0.0.1').resume();
    await once(silent, 'close');
    await port.close(0);
    const patient = await hub.listen({ port: 0, tls: ours, ...none });
    const other = connectTcp(patient.port, '127.0.0.1').resume();
    const ended = once(other, 'close');
    await once(other, 'connect');
    await patient.close(50);
    await ended;
  });
});
