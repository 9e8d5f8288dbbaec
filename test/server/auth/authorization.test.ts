// Denied access, over real sockets and with real tokens: every operation × every kind of caller.

import { OPERATIONS, type OperationName, type ResponseFrame } from 'parley-hub/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aScene, greeting, NOWHERE, type Scene } from './authorization-scene.ts';
import { type Cell, COLUMNS, type Column, TABLE, WRITTEN } from './authorization-table.ts';

interface Place {
  readonly column: Column;
  readonly op: OperationName;
  /** undefined = an operation without a row. */
  readonly cell: Cell | undefined;
}

const operations = Object.keys(OPERATIONS) as OperationName[];
const places: readonly Place[] = COLUMNS.flatMap((column) =>
  operations.map((op) => ({ column, op, cell: TABLE[op]?.[column] })),
);
const allowed = places.filter(({ cell }) => typeof cell === 'object');
/** All others: also an operation that has no row, which then fails. */
const refused = places.filter(({ cell }) => typeof cell !== 'object');

const stops: (() => Promise<unknown>)[] = [];
let scene: Scene;
beforeAll(async () => {
  scene = await aScene(stops);
});
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Naming somebody else as the one who asks, where that is the point. */
function ask(
  { askers, paramsOf }: Scene,
  { column, op }: Place,
  sessionId?: string,
  as = 'alice',
): Promise<ResponseFrame> {
  return askers[column].ask(op, paramsOf(op, sessionId), column === 'another' ? { as } : {});
}

const codeOf = (frame: ResponseFrame): string => (frame.ok ? `ok: ${JSON.stringify(frame.result)}` : frame.error.code);

/** The answer without its session and request ids. */
const plain = ({ request_id: _, ...frame }: ResponseFrame, id: string): string =>
  JSON.stringify(frame).replaceAll(id, NOWHERE);

describe('the table', () => {
  it('[AU10, OP1] has a row for every operation and a cell for every asker; this many are refusals', () => {
    expect(places).toHaveLength(operations.length * COLUMNS.length);
    expect(places.filter(({ cell }) => cell === undefined)).toEqual([]);
    const perColumn = Object.fromEntries(
      COLUMNS.map((column) => [
        column,
        allowed.filter((place) => place.column === column && Object.hasOwn(WRITTEN, place.op)).length,
      ]),
    );
    expect(perColumn).toEqual({
      unbound: 1,
      another: 0,
      outsider: 8,
      hidden: 17,
      removed: 14,
      observer: 15,
      expired: 1,
    });
    // Nobody here has the enroller’s grant; any bound identity may do what `bound` allows.
    const free = operations.filter((op) => !Object.hasOwn(WRITTEN, op) && OPERATIONS[op].who === 'bound').length;
    expect(free).toBeGreaterThanOrEqual(7);
    expect(refused).toHaveLength(operations.length * COLUMNS.length - 56 - 4 * free);
  });
});

describe('refused', () => {
  it.each(refused)('[AU10, L7, AM8] $column: $op', async (place) => {
    const [logs, heard] = [scene.logs(), scene.heard()];
    const frame = await ask(scene, place);
    expect(codeOf(frame)).toBe(place.cell);
    // An operation may be refused with what its record says, or with what any may be.
    const codes: readonly string[] = [...OPERATIONS[place.op].errors, 'unauthenticated'];
    expect(codes).toContain(codeOf(frame));
    expect(scene.logs()).toEqual(logs);
    expect(scene.heard()).toBe(heard);
  });

  const outside = refused.filter(({ column }) => column === 'outsider' || column === 'observer');
  const aboutSession = outside.filter(({ cell }) => cell === 'not_found');
  it.each(aboutSession)('[AM2, L7] $column: $op is answered as for one that does not exist', async (place) => {
    const [real, none] = [await ask(scene, place), await ask(scene, place, NOWHERE)];
    expect(plain(real, scene.sessionId)).toBe(plain(none, scene.sessionId));
  });

  it.each(operations)('[OP6, L7] another, by agent id: %s', async (op) => {
    const { logs, bob } = scene;
    const before = logs();
    const frame = await ask(scene, { column: 'another', op, cell: undefined }, undefined, bob.agentId);
    expect(codeOf(frame)).toBe('unauthenticated');
    expect(logs()).toEqual(before);
  });

  it('[EV3] of all this only the audit knows', async () => {
    const before = (await scene.auditKinds()).length;
    const heard = scene.heard();
    for (const place of refused) await ask(scene, place);
    // Frames sent to him before this answer have arrived.
    await scene.bob.ask('health', {});
    expect(scene.heard()).toBe(heard);
    const since = (await scene.auditKinds()).slice(before);
    expect(new Set(since)).toEqual(new Set(['operation_refused']));
  });

  it('[AU1, DL6] rejects a hello for another name with one’s token, and replaces nothing', async () => {
    const { hub, url } = scene;
    const bound = hub.health().bound;
    const { token } = await hub.createToken({ name: 'mallory' });
    const { frames } = await greeting(url, 'alice', token);
    expect(frames).toEqual([
      expect.objectContaining({ kind: 'error', error: expect.objectContaining({ code: 'unauthenticated' }) }),
    ]);
    expect(hub.health().bound).toBe(bound);
  });
});

describe('allowed', () => {
  it.each(allowed)('[AU10] $column: $op, because $cell.allowed', async (place) => {
    const ends: (() => Promise<unknown>)[] = [];
    const fresh = await aScene(ends, place.column === 'expired');
    try {
      const frame = await ask(fresh, place);
      expect(codeOf(frame)).toMatch(/^ok/);
      if (place.op === 'can_send') expect(codeOf(frame)).toContain('"can":false');
    } finally {
      for (const end of ends.reverse()) await end();
    }
  });
});
