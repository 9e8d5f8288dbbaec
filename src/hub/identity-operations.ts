/** The operations on what agents say about themselves, and on finding them by it. */

import { WireError } from '../core/lib/errors.ts';
import type { KnownAgent } from '../core/records/identity/find-agent.ts';
import { parseFrontMatter } from '../core/lib/front-matter.ts';
import { utf8Bytes } from '../core/lib/json.ts';
import { splitSkill } from '../core/records/identity/skill.ts';
import type { Binding } from './bindings.ts';
import { boundCaller, notBound } from './caller.ts';
import { countWithin, PAGE } from './lib/fit-page.ts';
import { findAgents } from './registry/find-agents.ts';
import type { Handler } from './handler.ts';
import type { HubParts } from './parts.ts';
import type { Guard } from './registry/registry.ts';

type Name = 'list_agents' | 'find_agent' | 'get_resume' | 'set_resume' | 'get_skill' | 'set_skill';

export const identityOperations: { readonly [N in Name]: Handler<N> } = {
  list_agents(parts, caller, { after = '', limit = PAGE }) {
    boundCaller(caller);
    const agents = [];
    for (const { passport } of parts.registry.after(after)) {
      if (agents.length === limit) break;
      agents.push(passport);
    }
    const shown = agents.slice(0, countWithin(agents, parts.limits.maxResponseBytes));
    const isAll = shown.length === agents.length && agents.length < limit;
    return { agents: shown, next: isAll ? null : (shown.at(-1)?.name ?? null) };
  },

  find_agent(parts, caller, params) {
    boundCaller(caller);
    return findAgents(parts, params);
  },

  get_resume(parts, caller, { agent }) {
    return agentCalled(parts, boundCaller(caller), agent).resume;
  },

  set_resume(parts, caller, { expected_version, ...claim }) {
    const by = boundCaller(caller);
    parts.backlog.check();
    return parts.registry.setResume(by.agentId, claim, expected_version, guardOf(parts, by));
  },

  get_skill(parts, caller, { agent }) {
    return parts.registry.skillOf(agentCalled(parts, boundCaller(caller), agent));
  },

  set_skill(parts, caller, { text }) {
    const by = boundCaller(caller);
    parts.backlog.check();
    return parts.registry.setSkill(
      by.agentId,
      text,
      text === null ? {} : frontMatterOf(text, parts),
      guardOf(parts, by),
    );
  },
};

/** By name or id; the caller itself where nobody is named. */
export function agentCalled({ registry }: HubParts, { agentId }: Binding, nameOrId: string = agentId): KnownAgent {
  const agent = registry.called(nameOrId);
  if (agent !== null) return agent;
  throw new WireError('not_found', `params.agent: nobody called "${nameOrId}" is registered`, {
    field: 'params.agent',
    received: nameOrId,
  });
}

/** Another connection may have taken over by the time it is judged. */
export function guardOf({ bindings }: HubParts, by: Binding): Guard {
  return () => (bindings.mayAct(by) ? null : notBound(by.name));
}

function frontMatterOf(text: string, { limits }: HubParts) {
  const field = 'params.text';
  const bytes = utf8Bytes(text);
  if (bytes > limits.maxSkillBytes) {
    const problem = { field, expected: `at most ${limits.maxSkillBytes} bytes`, received: `${bytes} bytes` };
    throw new WireError('too_large', `${field}: expected ${problem.expected}, got ${problem.received}`, problem);
  }
  const parts = splitSkill(text);
  if (parts === null) {
    const message = `${field}: the front matter that begins in line 1 has no end; expected a line ---`;
    throw new WireError('bad_frame', message, { field, line: 1 });
  }
  return parts.frontMatter === null ? {} : parseFrontMatter(parts.frontMatter, field);
}
