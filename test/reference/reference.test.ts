// The reference of the wire says what a hub says: recorded over a socket, compared byte for byte.
//
// If what goes over the wire was changed on purpose: `npm run docs`, and look at the difference before it is committed.
// A new operation or kind of frame is shown by a scene of test/reference/scenes: `book.operation(await peer.ask(…))` or
// `book.frame('kind', …)`, in the scene it belongs to; scenes are played in order, so one at the end changes least.

import { OPERATIONS, WIRE_CODES, type WireCode } from 'parley-hub/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { RETRY_SAFETY } from '../../src/client/connection/retry-safety.ts';
import { type FieldDoc, FRAMES } from '../../src/core/protocol/frames/frame-catalogue.ts';
import { paramHelp } from '../../src/core/protocol/operations/operations.ts';
import { HUB_EVENT_TYPES, type HubEventType } from '../../src/core/records/session/envelope.ts';
import { read, sources } from '../package/repository.ts';
import { checkCatalogued } from '../simulation/catalogue-laws.ts';
import { ERROR_ADVICE } from './error-advice.ts';
import { EVENTS } from './event-catalogue.ts';
import { type GoldenBook, keptGoldens } from './golden-book.ts';
import { recordedFrames } from './record.ts';
import { renderBlocks, WIRE_PAGES, withBlocks } from './render.ts';
import type { Frame } from './wire-peer.ts';

const AGAIN = 'if this was meant: npm run docs, and look at what changed';

describe('the reference of the wire', () => {
  let book: GoldenBook;

  beforeAll(async () => {
    book = await recordedFrames();
  });

  it('[PK8] every golden frame comes out of a hub over a socket as it is kept, and no other', () => {
    const text = (goldens: ReadonlyMap<string, unknown>) =>
      Object.fromEntries([...goldens].map(([name, golden]) => [name, JSON.stringify(golden)]));
    expect(text(book.files()), AGAIN).toEqual(text(keptGoldens()));
  });

  it.each(Object.keys(WIRE_PAGES))('[PK8] docs/reference/%s matches the tables and the golden frames', (page) => {
    const text = read(`docs/reference/${page}`);
    expect(text, AGAIN).toBe(withBlocks(page, text, renderBlocks(book)));
  });

  it('[PK8] every operation is shown with its answer, as its result says', () => {
    expect([...book.operations.keys()].sort(), 'show it in test/reference/scenes').toEqual(
      Object.keys(OPERATIONS).sort(),
    );
    for (const [op, { request, response }] of book.operations) {
      const { params, result } = OPERATIONS[op as keyof typeof OPERATIONS];
      expect(() => params.parse(request.params, op)).not.toThrow();
      expect(() => result.parse(response.result, op)).not.toThrow();
    }
  });

  it('[PK8] every kind of frame is shown, with the fields of the catalogue and none beside them', () => {
    const shown = [...book.frames.values()];
    expect(new Set(shown.map(({ kind }) => kind)), 'show it in test/reference/scenes').toEqual(
      new Set(Object.keys(FRAMES)),
    );
    const answers = [...book.operations.values(), ...book.refusals.values()];
    for (const frame of [...shown, ...answers.flatMap(({ request, response }) => [request, response])]) {
      expect({ frame, wrong: wrongFields(frame) }).toEqual({ frame, wrong: [] });
    }
  });

  it('[PK8] refusals are shown with details that the catalogue of errors has', () => {
    expect([...book.refusals.keys()].length).toBeGreaterThan(12);
    for (const [code, { response }] of book.refusals) {
      const { details = {} } = response.error as { details?: object };
      expect(Object.keys(details).filter((name) => !isKnownDetail(code as WireCode, name))).toEqual([]);
    }
  });
});

it('[PK8] every event of the hub is in the catalogue, and what differs from it is found', () => {
  for (const type of HUB_EVENT_TYPES) checkCatalogued({ event_type: type, event_data: wholeData(type) });
  expect(() => checkCatalogued({ event_type: 'session.new', event_data: {} })).toThrow('session.new is not in');
  const extra = { event_type: 'session.closed', event_data: { reason: 'x', extra: 1 } };
  expect(() => checkCatalogued(extra)).toThrow('differ in extra');
  expect(() => checkCatalogued({ ...extra, event_data: {} })).toThrow('differ in reason');
});

it('[PK8] every parameter of every operation is explained', () => {
  const all = Object.values(OPERATIONS).flatMap(({ name, params }) => {
    const { properties = {} } = params.jsonSchema() as { properties?: object };
    return Object.keys(properties).map((param) => [name, param] as const);
  });
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(([name, param]) => !/^[A-Z].*\.$/.test(paramHelp(name, param)))).toEqual([]);
});

it('[PK8, CB3] a client repeats what the table says', () => {
  expect(RETRY_SAFETY, AGAIN).toEqual(
    Object.fromEntries(Object.values(OPERATIONS).map(({ name, retry }) => [name, retry])),
  );
});

/** Where the sources write an error's details out, each is in the catalogue: add it to test/reference/error-advice.ts. */
it('[PK8] every detail the sources give with an error is in the catalogue of errors', () => {
  const found = ['src/core', 'src/hub'].flatMap(sources).flatMap((file) => writtenDetails(file, read(file)));
  expect(found.length).toBeGreaterThan(60);
  expect(found.filter(({ code, detail }) => !isKnownDetail(code, detail))).toEqual([]);
});

/** Every entry of the catalogue must exist. */
function wholeData(type: HubEventType): Record<string, string> {
  const names = Object.keys(EVENTS[type].data).filter((name) => !name.endsWith('?'));
  return Object.fromEntries(names.map((name) => [name, '']));
}

function wrongFields({ kind, ...fields }: Frame): string[] {
  const notes: Readonly<Record<string, FieldDoc>> = FRAMES[kind as keyof typeof FRAMES].fields;
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(notes, name));
  const missing = Object.keys(notes).filter((name) => !notes[name]?.type.endsWith('?') && !Object.hasOwn(fields, name));
  return [...unknown, ...missing];
}

function isKnownDetail(code: WireCode, detail: string): boolean {
  return Object.hasOwn(ERROR_ADVICE[code].details, detail);
}

interface WrittenDetail {
  readonly file: string;
  readonly code: WireCode;
  readonly detail: string;
}

/** Those of `new WireError('code', message, { a, b: … })` and `new ProtocolError(message, { … })`. */
function writtenDetails(file: string, text: string): WrittenDetail[] {
  const made = [...text.matchAll(/new (?:WireError\(\s*'(\w+)'|ProtocolError\()/g)];
  return made.flatMap(({ 1: code = 'protocol_error', index }) => {
    const call = text.slice(index, text.indexOf(';', index));
    const [, members = ''] = /, \{ ?\n?([^{}]*)\}(?:, (?:\{ cause.*|'not_your_turn'))?\s*,?\s*\)/.exec(call) ?? [];
    const actual = (call.includes("'not_your_turn'") ? 'not_your_turn' : code) as WireCode;
    if (!Object.hasOwn(WIRE_CODES, actual)) return [];
    const names = members.split(',').map((member) => /^\s*(\w+)\s*(?::|$)/.exec(member)?.[1]);
    return names
      .filter((name) => name !== undefined && name !== 'cause')
      .map((detail) => ({ file, code: actual, detail: String(detail) }));
  });
}
