/** What a model may call on its turn where packets route: hand off to one of the others, or finish. */

import { type JsonObject, nameOf, type SessionMetadata, type TurnTool } from 'parley-hub/core';

const reason = { type: 'string', description: 'Why, in a few words.' };
const message = { type: 'string', description: 'What to say with it.' };

/** Of a tool that only says something. */
export const packetParameters: JsonObject = {
  type: 'object',
  properties: { message },
  additionalProperties: false,
};

export function isTurnTool(name: string): boolean {
  return name === 'handoff' || name === 'finish';
}

export function turnTools(metadata: SessionMetadata, active: readonly string[], holder: string): readonly TurnTool[] {
  const others = active.filter((id) => id !== holder).map((id) => nameOf(metadata, id));
  const finish: TurnTool = {
    name: 'finish',
    description: 'End the session with this message.',
    parameters: { type: 'object', properties: { message, reason }, additionalProperties: false },
  };
  if (others.length === 0) return [finish];
  const to = { type: 'string', enum: others, description: 'Who speaks next.' };
  const handoff: TurnTool = {
    name: 'handoff',
    description: 'Pass the turn to another participant.',
    parameters: {
      type: 'object',
      properties: { to, message, reason },
      required: ['to'],
      additionalProperties: false,
    },
  };
  return [handoff, finish];
}
