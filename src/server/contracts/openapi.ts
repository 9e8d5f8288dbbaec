/** Describes the HTTP API as an OpenAPI 3.1 document, from the table of operations. */

import { WIRE_CODES, type WireCode } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { OPERATIONS, type OperationName } from '../../core/protocol/operations/operations.ts';
import { NEEDS_CONNECTION } from '../../hub/connection/single-request.ts';
import { packageVersion } from '../../system/package.ts';
import { STATUS, STATUS_OF_FIELD } from '../http/respond.ts';
import { API, pathParams, ROUTES, type Route } from '../http/routes.ts';
import { allSchemas, DIALECT } from './schemas.ts';

/** Codes any operation may return. */
const ANY: readonly WireCode[] = [
  'bad_frame',
  'unauthenticated',
  'too_large',
  'rate_limited',
  'timeout',
  'unavailable',
  'internal',
];

export function openApi(): JsonObject {
  const schemas = allSchemas();
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: DIALECT,
    info: {
      title: 'Parley',
      version: packageVersion(),
      description: 'Every operation of the hub over HTTP. Deliveries need the WebSocket: see /asyncapi.json.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths: paths(schemas),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the hub, or a JWT it accepts.' },
      },
      parameters: { as: AS },
      schemas: withoutFrames(schemas),
    },
  };
}

const AS: JsonObject = {
  name: 'Parley-As',
  in: 'header',
  required: false,
  description: 'Name or id to act as, for a credential with several names. Alternative: ?as= in the URL.',
  schema: { type: 'string' },
};

/** Frame schemas belong to the AsyncAPI document. */
function withoutFrames(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  const ofOperations = new Set(Object.keys(OPERATIONS).flatMap((op) => [`${op}_params`, `${op}_result`]));
  const isFrame = (name: string): boolean => /^(client|hub)_/.test(name) && !ofOperations.has(name);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => !isFrame(name)));
}

function paths(schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  const all: Record<string, Record<string, JsonObject>> = {};
  for (const route of ROUTES) {
    const path = `${API}${route.path}`;
    all[path] = { ...all[path], [route.method.toLowerCase()]: operationAt(route, schemas[`${route.op}_params`] ?? {}) };
  }
  return all;
}

function operationAt(route: Route, params: JsonObject): JsonObject {
  const { method, path, op } = route;
  const { help, who } = OPERATIONS[op];
  const isNamed = method === 'POST' && path === `/${op}`;
  const alone = NEEDS_CONNECTION.has(op) ? ' Needs a connection: rejected over HTTP.' : '';
  return {
    operationId: isNamed ? op : `${method.toLowerCase()}${path.replace(/[^a-z_]+/g, '_').replace(/_$/, '')}`,
    summary: help,
    description: `Operation \`${op}\`. Who may: ${who}.${alone}`,
    tags: [isNamed ? 'operations' : 'paths'],
    ...(who === 'anyone' ? { security: [{}, { bearer: [] }] } : {}),
    parameters: [...parametersOf(route, params), { $ref: '#/components/parameters/as' }],
    ...(method === 'POST' ? { requestBody: bodyOf(route, params) } : {}),
    responses: responsesOf(op, method),
  };
}

function parametersOf({ method, path }: Route, { properties = {}, required = [] }: JsonObject): JsonObject[] {
  const inPath = pathParams(path);
  return Object.entries(properties as Record<string, JsonObject>).flatMap(([name, { description = '', ...schema }]) => {
    if (inPath.includes(name)) return [{ name, in: 'path', required: true, description, schema }];
    if (method === 'POST') return [];
    const isRequired = (required as readonly string[]).includes(name);
    const value = schema.type === 'object' ? { content: { 'application/json': { schema } } } : { schema };
    return [{ name, in: 'query', required: isRequired, description, ...value }];
  });
}

/** Path parameters are left out of the body. */
function bodyOf({ path, op }: Route, params: JsonObject): JsonObject {
  const inPath = pathParams(path);
  const schema = inPath.length === 0 ? { $ref: `#/components/schemas/${op}_params` } : without(params, inPath);
  return { required: true, content: { 'application/json': { schema } } };
}

function without({ properties = {}, required = [], ...rest }: JsonObject, names: readonly string[]): JsonObject {
  const left = Object.entries(properties as JsonObject).filter(([name]) => !names.includes(name));
  const needed = (required as readonly string[]).filter((name) => !names.includes(name));
  return { ...rest, properties: Object.fromEntries(left), ...(needed.length === 0 ? {} : { required: needed }) };
}

function responsesOf(op: OperationName, method: Route['method']): JsonObject {
  const codes = [...new Set([...ANY, ...OPERATIONS[op].errors])];
  const statuses = [...new Set(codes.map((code) => STATUS[code]))].sort((a, b) => a - b);
  const refusals = statuses.map((status) => [status, refusalOf(codes.filter((code) => STATUS[code] === status))]);
  const done = { description: 'Done.', content: json({ $ref: `#/components/schemas/${op}_result` }) };
  const ofBody = method === 'POST' ? { [STATUS_OF_FIELD['content-type'] ?? 415]: refusalOf(['bad_frame']) } : {};
  return { ...(NEEDS_CONNECTION.has(op) ? {} : { 200: done }), ...Object.fromEntries(refusals), ...ofBody };
}

function refusalOf(codes: readonly WireCode[]): JsonObject {
  const schema = { type: 'object', properties: { error: { $ref: '#/components/schemas/error' } }, required: ['error'] };
  return { description: codes.map((code) => `\`${code}\`: ${WIRE_CODES[code]}`).join(' '), content: json(schema) };
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}
