// The documents that describe the port are valid, and say what the code says: no more, no less.

import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OPERATIONS, type OperationName } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { FRAMES } from '../../../src/core/protocol/frames/frame-catalogue.ts';
import { asyncApi } from '../../../src/server/contracts/asyncapi.ts';
import { openApi } from '../../../src/server/contracts/openapi.ts';
import { contractAt } from '../../../src/server/contracts/published.ts';
import { allSchemas } from '../../../src/server/contracts/schemas.ts';
import { STATUS } from '../../../src/server/http/respond.ts';
import { ROUTES } from '../../../src/server/http/routes.ts';
import { keptGoldens } from '../../reference/golden-book.ts';
import { itDeep } from '../../support/size.ts';
import { HttpHub } from './http-hub.ts';

const operations = Object.keys(OPERATIONS) as OperationName[];

interface Message {
  readonly kind: string;
  readonly op?: string;
  readonly ok?: boolean;
  readonly result?: unknown;
}

interface Golden {
  readonly frame?: Message;
  readonly request?: Message;
  readonly response?: Message;
}

// biome-ignore lint/suspicious/noExplicitAny: a document is looked at by paths
const open = openApi() as any;
// biome-ignore lint/suspicious/noExplicitAny: the same
const async = asyncApi() as any;
const SERVER = { host: '127.0.0.1:4747', isTls: false };

/** Validates against one message of the AsyncAPI document. */
function messages(): (name: string) => (value: unknown) => string {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...async, $id: 'async' });
  return (name) => {
    const validate = ajv.compile({ $ref: `async#/components/messages/${name}/payload` });
    return (value) => (validate(value) ? '' : ajv.errorsText(validate.errors));
  };
}

describe('OpenAPI', () => {
  it('[HT9] is a valid document of version 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(open));
    expect(errors).toBe(undefined);
    expect({ valid, version: validator.version }).toEqual({ valid: true, version: '3.1' });
  });

  it('[HT9] has every operation, and no other; every friendly path, and no other', () => {
    const listed = Object.entries(open.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} /api/v1${path}`).sort());
    for (const op of operations) {
      const { operationId, requestBody } = open.paths[`/api/v1/${op}`].post;
      expect(operationId).toBe(op);
      expect(requestBody.content['application/json'].schema).toEqual({ $ref: `#/components/schemas/${op}_params` });
    }
    const named = Object.keys(open.components.schemas).filter((name) => name.endsWith('_params'));
    expect(named.sort()).toEqual(operations.map((op) => `${op}_params`).sort());
    const ids = [...JSON.stringify(open.paths).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(ROUTES.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('[HT4, HT9] says of every operation with which status it may be refused', () => {
    for (const op of operations) {
      const { responses } = open.paths[`/api/v1/${op}`].post;
      for (const code of [...OPERATIONS[op].errors, 'unauthenticated', 'unavailable'] as const) {
        expect(responses[STATUS[code]].description).toContain(`\`${code}\``);
      }
    }
  });
});

describe('AsyncAPI', () => {
  it('[HT9] is a valid document of version 3.0', async () => {
    const { default: schema } = await import('@asyncapi/specs/schemas/3.0.0-without-$id.json', {
      with: { type: 'json' },
    });
    const ajv = new Ajv({ strict: false, allErrors: true, logger: false, validateFormats: false });
    const validate = ajv.compile(schema);
    expect(validate(async) ? '' : ajv.errorsText(validate.errors)).toBe('');
    expect(validate({ ...async, channels: [] })).toBe(false);
  });

  it('[HT9] has every operation and every kind of frame in its direction, and no other', () => {
    const frames = Object.entries(FRAMES).flatMap(([kind, { direction }]) => [
      ...(direction === 'hub → client' ? [] : [`receive_${kind}`]),
      ...(direction === 'client → hub' ? [] : [`send_${kind}`]),
    ]);
    expect(Object.keys(async.operations).sort()).toEqual([...frames, ...operations].sort());
    const refs = [...JSON.stringify(async).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(refs.length).toBeGreaterThan(300);
    for (const ref of new Set(refs)) {
      // biome-ignore lint/suspicious/noExplicitAny: the same
      expect({ ref, at: ref.split('/').reduce<any>((at, key) => at?.[key], async) }).toMatchObject({ at: {} });
    }
  });

  itDeep('[HT9, PK8] every golden frame is valid by it', () => {
    const at = messages();
    const known = new Map<string, (value: unknown) => string>();
    const problem = (name: string, frame: unknown): string => {
      const validate = known.get(name) ?? at(name);
      known.set(name, validate);
      return validate(frame);
    };
    const goldens = [...keptGoldens()] as unknown as [string, Golden][];
    expect(goldens.length).toBeGreaterThan(80);
    for (const [name, { frame, request, response }] of goldens) {
      if (frame !== undefined) {
        const sides = ['client', 'hub'].filter((side) => async.components.messages[`${side}_${frame.kind}`]);
        const problems = sides.map((side) => problem(`${side}_${frame.kind}`, frame));
        expect({ name, problems }).toEqual({ name, problems: expect.arrayContaining(['']) });
      }
      if (response === undefined) continue;
      expect({ name, said: problem('hub_response', response) }).toEqual({ name, said: '' });
      if (response.ok !== true) continue;
      expect({ name, said: problem(`${request?.op}_request`, request) }).toEqual({ name, said: '' });
      expect({ name, said: problem(`${request?.op}_response`, response) }).toEqual({ name, said: '' });
      // And no other operation's would do.
      expect(problem(`${request?.op}_response`, { ...response, result: { nothing: 1 } })).not.toBe('');
    }
  });
});

it('[HT9] publishes the documents and every schema without a credential', async () => {
  const http = await HttpHub.open();
  const at = async (path: string) => (await http.send('GET', path, null)).body;
  expect(await at('/openapi.json')).toEqual(open);
  expect(await at('/asyncapi.json')).toEqual({
    ...async,
    // The address it was asked at, as it leads to this hub.
    servers: { local: { host: `127.0.0.1:${http.port}`, protocol: 'ws', pathname: '/' } },
  });
  const { schemas } = await at('/schemas');
  expect(schemas).toHaveLength(Object.keys(allSchemas()).length);
  expect(await at('/schemas/post_params.json')).toMatchObject({
    $schema: expect.stringContaining('2020-12'),
    type: 'object',
  });
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const path of schemas) expect(() => ajv.compile(contractAt(path, SERVER) ?? false)).not.toThrow();
  for (const path of ['/schemas/nothing.json', '/schemas/constructor.json', '/schemas/', '/schemas/../x']) {
    expect(contractAt(path, SERVER)).toBe(null);
  }
});
