/** Schema of a skill. */

import { z } from 'zod';
import { anyObject, record } from '../../lib/schema.ts';
import { agentName, count, generatedId, time } from '../fields.ts';
import type { Skill } from './skill.ts';

export const skill: z.ZodType<Skill> = record<Skill>({
  agent_id: generatedId,
  name: agentName,
  text: z.string(),
  front_matter: anyObject(),
  body: z.string(),
  rendered: z.boolean(),
  version: count,
  last_updated: time.nullable(),
});
