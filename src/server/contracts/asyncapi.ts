/** Describes the WebSocket as an AsyncAPI 3.0 document, from the tables of frames and operations. */

import type { JsonObject } from '../../core/lib/json.ts';
import { FRAMES, type FrameKind } from '../../core/protocol/frames/frame-catalogue.ts';
import { clientFrames } from '../../core/protocol/frames/frame-codec.ts';
import { hubFrames } from '../../core/protocol/frames/hub-frame-schemas.ts';
import { OPERATIONS, type OperationName } from '../../core/protocol/operations/operations.ts';
import { packageVersion } from '../../system/package.ts';
import { allSchemas } from './schemas.ts';

const CHANNEL = 'frames';

export function asyncApi(): JsonObject {
  const messages = messagesOf();
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Parley',
      version: packageVersion(),
      description: 'Frames of the hub over WebSocket: one JSON object per text message, described from the hub’s side.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { local: { host: '127.0.0.1:4747', protocol: 'ws', pathname: '/' } },
    channels: {
      [CHANNEL]: {
        address: '/',
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: { ...framesAsOperations(), ...operations() },
    components: { messages, schemas: allSchemas() },
  };
}

/** One message per frame kind and side, and a request and a response per operation. */
function messagesOf(): Record<string, JsonObject> {
  const messages: Record<string, JsonObject> = {};
  for (const kind of clientFrames.keys()) messages[`client_${kind}`] = frameMessage('client', kind);
  for (const kind of Object.keys(hubFrames)) messages[`hub_${kind}`] = frameMessage('hub', kind);
  for (const { name, help } of Object.values(OPERATIONS)) {
    messages[`${name}_request`] = {
      name: `${name}_request`,
      summary: help,
      payload: narrowed('client_request', { op: { const: name }, params: refTo(`${name}_params`) }),
    };
    messages[`${name}_response`] = {
      name: `${name}_response`,
      summary: `The answer to ${name}.`,
      payload: narrowed('hub_response', { ok: { const: true }, result: refTo(`${name}_result`) }),
    };
  }
  return messages;
}

function frameMessage(side: 'client' | 'hub', kind: string): JsonObject {
  const { help } = FRAMES[kind as FrameKind];
  return { name: `${side}_${kind}`, summary: help, payload: refTo(`${side}_${kind}`) };
}

/** A frame schema with more specific members. */
function narrowed(frame: string, properties: JsonObject): JsonObject {
  return { allOf: [refTo(frame), { type: 'object', properties, required: Object.keys(properties) }] };
}

/** One operation for each frame kind that the hub receives or sends. */
function framesAsOperations(): JsonObject {
  const received = [...clientFrames.keys()].map((kind) => [
    `receive_${kind}`,
    { action: 'receive', channel, messages: [onChannel(`client_${kind}`)] },
  ]);
  const sent = Object.keys(hubFrames).map((kind) => [
    `send_${kind}`,
    { action: 'send', channel, messages: [onChannel(`hub_${kind}`)] },
  ]);
  return Object.fromEntries([...received, ...sent]);
}

function operations(): JsonObject {
  return Object.fromEntries(Object.values(OPERATIONS).map(({ name }) => [name, operationOf(name)]));
}

function operationOf(op: OperationName): JsonObject {
  const { help, who, errors } = OPERATIONS[op];
  return {
    action: 'receive',
    channel,
    summary: help,
    description: `Who may: ${who}. Specific codes: ${errors.length === 0 ? 'none' : errors.join(', ')}.`,
    messages: [onChannel(`${op}_request`)],
    // hub_response covers rejections.
    reply: { channel, messages: [onChannel(`${op}_response`), onChannel('hub_response')] },
  };
}

const channel = { $ref: `#/channels/${CHANNEL}` };

function onChannel(message: string): JsonObject {
  return { $ref: `#/channels/${CHANNEL}/messages/${message}` };
}

function refTo(schema: string): JsonObject {
  return { $ref: `#/components/schemas/${schema}` };
}
