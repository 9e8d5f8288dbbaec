/** A packet as a line to read: what its body says, and where it sends the turn. */

import type { Json, JsonObject } from './lib/json.ts';

export function packetText({ body, routing }: Partial<JsonObject>): string {
  return [bodyText(body), routeText(routing)].filter((part) => part !== '').join(' ');
}

function bodyText(body: Json | undefined): string {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  const text = memberOf(body, 'text');
  return text === '' ? JSON.stringify(body) : text;
}

function routeText(routing: Json | undefined): string {
  const reason = memberOf(routing, 'reason');
  const because = reason === '' ? '' : `: ${reason}`;
  switch (memberOf(routing, 'kind')) {
    case 'handoff':
      return `(handoff to ${memberOf(routing, 'target')}${because})`;
    case 'finish':
      return `(finished${because})`;
    default: {
      const tool = memberOf(routing, 'tool');
      return tool === '' ? '' : `(called ${tool}${because})`;
    }
  }
}

function memberOf(value: Json | undefined, key: string): string {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof member === 'string' ? member : '';
}
