// The authorization table over HTTP: every operation and kind of caller, as over a socket.

import { request } from 'node:http';
import { OPERATIONS, type OperationName } from 'parley-hub/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aScene, type Scene } from '../auth/authorization-scene.ts';
import { COLUMNS, type Column, TABLE } from '../auth/authorization-table.ts';

const NEED_CONNECTION: readonly string[] = ['subscribe', 'unsubscribe'];
const refused = COLUMNS.flatMap((column) =>
  (Object.keys(OPERATIONS) as OperationName[])
    .map((op) => ({ column, op, cell: TABLE[op]?.[column] }))
    .filter(({ op, cell }) => typeof cell === 'string' && !NEED_CONNECTION.includes(op)),
);

const stops: (() => Promise<unknown>)[] = [];
let scene: Scene;
let askers: Readonly<Record<Column, { readonly token: string | null; readonly as?: string }>>;
beforeAll(async () => {
  scene = await aScene(stops, false);
  const { hub } = scene;
  const tokenOf = async (name: string) => (await hub.createToken({ name })).token;
  const mallory = await tokenOf('mallory');
  const lost = await hub.createToken({ name: 'alice', grants: ['operate', 'observe', 'enrol', 'rules'] });
  await hub.revokeToken(lost.token_id);
  askers = {
    unbound: { token: null },
    another: { token: mallory, as: 'alice' },
    outsider: { token: mallory },
    hidden: { token: await tokenOf('hank') },
    removed: { token: await tokenOf('rita') },
    observer: { token: (await hub.createToken({ name: 'olive', grants: ['observe'] })).token },
    expired: { token: lost.token },
  };
});
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function ask({ column, op }: { readonly column: Column; readonly op: OperationName }): Promise<string> {
  const { token, as } = askers[column];
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(as === undefined ? {} : { 'parley-as': as }),
  };
  return new Promise((resolve, reject) => {
    const url = `${scene.url.replace('ws:', 'http:')}/api/v1/${op}`;
    const asked = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text).error?.code ?? text));
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(scene.paramsOf(op)));
  });
}

it.each(refused)('[HT2, L7] $column: $op', async (place) => {
  const [logs, heard] = [scene.logs(), scene.heard()];
  expect(await ask(place)).toBe(place.cell);
  expect(scene.logs()).toEqual(logs);
  expect(scene.heard()).toBe(heard);
});

it('[HT2] of such there are many', () => {
  expect(refused.length).toBeGreaterThan(250);
});
