/** Models that refuse to be forced to use a tool say so with a 400; asked without force they may still use it. Pure. */

import { isAgentError } from '../agent/agent-error.ts';
import type { Complaint } from './client/failure.ts';
import type { ModelRequest } from './client/model-client.ts';

export function isForced({ tools = [], toolChoice }: Pick<ModelRequest, 'tools' | 'toolChoice'>): boolean {
  return tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
}

/** Whether a request with forced tools was refused for that. */
export function blamesForce(status: number, { message, param }: Complaint): boolean {
  if (status !== 400 && status !== 422) return false;
  return param === 'tool_choice' || /tool[_ ]choice|forc(?:e[sd]?|ing)\b.{0,40}\btool/i.test(message);
}

/** Whether it failed because a model does not let itself be forced to use a tool: then ask again with `auto`. */
export function refusesForcedTools(thrown: unknown): boolean {
  return isAgentError(thrown) && thrown.details.call?.refuses_forced_tools === true;
}
