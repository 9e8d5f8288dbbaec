/** Handles the operations on identities: registering, retiring, profiles, skills, and finding agents. */

import { removeParticipant } from '../../core/decisions/membership.ts';
import { WireError } from '../../core/lib/errors.ts';
import { parseFrontMatter } from '../../core/lib/front-matter.ts';
import { type JsonObject, utf8Bytes } from '../../core/lib/json.ts';
import type { IdentityOperations } from '../../core/protocol/operations/identity.ts';
import { GRANTS, type Grant } from '../../core/records/access/grants.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { KnownAgent } from '../../core/records/identity/find-agent.ts';
import { splitSkill } from '../../core/records/identity/skill.ts';
import type { Binding } from '../bindings/binding.ts';
import { countFitting, DEFAULT_PAGE_SIZE } from '../lib/fit-page.ts';
import type { Ground } from '../log/ground.ts';
import { sessionsToLeave } from '../log/read-pages.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import { findAgents } from '../registry/find-agents.ts';
import { credentialFrom, enrolRefusal, isStillValid, noLongerValidError } from '../registry/handshake.ts';
import type { Registry } from '../registry/registry.ts';
import { guardOf, type Handlers } from './run-operation.ts';

type IdentityOperationsNeeds = Ground & Pick<SharedRooms, 'bindings' | 'registry' | 'tokens' | 'sessions' | 'arbiter'>;

export function identityOperations(
  needs: IdentityOperationsNeeds,
): Handlers<Exclude<keyof IdentityOperations, 'get_rule' | 'set_rule'> | 'whoami'> {
  const { bindings, registry, sessions, arbiter, store, limits, backlog } = needs;

  /** Removes an identity from its live sessions before it is retired. */
  const leaveEverything = async (agentId: string): Promise<void> => {
    for await (const sessionId of sessionsToLeave(store, agentId)) {
      await sessions.use(sessionId, (session) =>
        session.decide((state) => removeParticipant(state, agentId, 'unregistered')),
      );
    }
  };

  return {
    async register({ binding, proof, bind }, params) {
      const checkHolds = (): void => {
        if (!isStillValid(needs, proof)) throw noLongerValidError(params.name);
      };
      checkHolds();
      const isEnroller = binding !== null && registry.hasGrant(binding.agentId, 'enrol', binding.credential);
      const refusal = enrolRefusal(proof, params.name, isEnroller);
      if (refusal !== null) throw refusal;
      backlog.check();
      const denial = arbiter.denial('authorizeRegister', { claim: params });
      const denied = denial instanceof Promise ? await denial : denial;
      if (denied !== null) throw new WireError('forbidden', `"${params.name}" cannot be registered: ${denied}`);
      checkHolds();
      const passport = await registry.register(params, credentialFrom(proof)?.id ?? null);
      // If the credential was revoked during the write, the name stays registered but unbound.
      checkHolds();
      bind(passport);
      return passport;
    },

    async unregister({ agentId, name }, params) {
      if (params.name !== undefined && params.name !== name) {
        throw new WireError('forbidden', `you are "${name}" and may not unregister "${params.name}"`);
      }
      backlog.check();
      registry.beginLeaving(agentId);
      try {
        await leaveEverything(agentId);
        await registry.retire(agentId);
      } catch (thrown) {
        registry.cancelLeaving(agentId);
        throw thrown;
      }
      bindings.unbindAgent(agentId, 'unregistered');
      return { agent_id: agentId };
    },

    whoami({ agentId, name, credential }) {
      const held = (Object.keys(GRANTS) as Grant[]).filter((grant) => registry.hasGrant(agentId, grant, credential));
      return { agent_id: agentId, name, kind: registry.find(agentId)?.passport.kind ?? 'agent', grants: held };
    },

    list_agents(_by, { after = '', limit = DEFAULT_PAGE_SIZE }) {
      const agents = [];
      for (const { passport } of registry.after(after)) {
        if (agents.length === limit) break;
        agents.push(passport);
      }
      const shown = agents.slice(0, countFitting(agents, limits.maxResponseBytes));
      const isAll = shown.length === agents.length && agents.length < limit;
      return { agents: shown, next: isAll ? null : (shown.at(-1)?.name ?? null) };
    },

    find_agent: (_by, params) => findAgents({ limits, registry, presence: bindings.presence }, params),

    async get_agent(by, { agent }) {
      const known = requireAgent(registry, by, agent);
      const { passport, resume } = known;
      const skill = await registry.skillOf(known);
      const seesRule = passport.agent_id === by.agentId || registry.hasGrant(by.agentId, 'rules', by.credential);
      return {
        passport,
        resume,
        skill,
        rule: seesRule ? registry.ruleRecord(passport.agent_id) : null,
        bound: bindings.presence.isHere(passport.agent_id),
      };
    },

    get_resume: (by, { agent }) => requireAgent(registry, by, agent).resume,

    set_resume(by, { expected_version, ...claim }) {
      backlog.check();
      return registry.setResume(by.agentId, claim, expected_version, guardOf(bindings, by));
    },

    get_skill: (by, { agent }) => registry.skillOf(requireAgent(registry, by, agent)),

    set_skill(by, { text }) {
      backlog.check();
      const frontMatter = text === null ? {} : frontMatterOf(text, limits);
      return registry.setSkill(by.agentId, text, frontMatter, guardOf(bindings, by));
    },
  };
}

/** Finds an agent by name or id (default: the caller). */
function requireAgent(registry: Pick<Registry, 'find'>, { agentId }: Binding, nameOrId: string = agentId): KnownAgent {
  const agent = registry.find(nameOrId);
  if (agent !== null) return agent;
  throw new WireError('not_found', `params.agent: no agent with name or id "${nameOrId}" is registered`, {
    field: 'params.agent',
    received: nameOrId,
  });
}

function frontMatterOf(text: string, { maxSkillBytes }: Limits): JsonObject {
  const field = 'params.text';
  const bytes = utf8Bytes(text);
  if (bytes > maxSkillBytes) {
    const problem = { field, expected: `at most ${maxSkillBytes} bytes`, received: `${bytes} bytes` };
    throw new WireError('too_large', `${field}: expected ${problem.expected}, got ${problem.received}`, problem);
  }
  const parts = splitSkill(text);
  if (parts === null) {
    const message = `${field}: the front matter that begins in line 1 is not closed; expected a line ---`;
    throw new WireError('bad_frame', message, { field, line: 1 });
  }
  return parts.frontMatter === null ? {} : parseFrontMatter(parts.frontMatter, field);
}

type RuleOperationsNeeds = Pick<SharedRooms, 'backlog' | 'bindings' | 'registry'>;

export function ruleOperations({
  bindings,
  registry,
  backlog,
}: RuleOperationsNeeds): Handlers<'get_rule' | 'set_rule'> {
  const holdsRules = ({ agentId, credential }: Binding): boolean => registry.hasGrant(agentId, 'rules', credential);

  /** The id of the agent whose rule is meant. Without the grant `rules` a caller cannot probe which agents exist. */
  const subject = (by: Binding, agent: string | undefined): string => {
    if (agent === undefined || agent === by.agentId || agent === by.name) return by.agentId;
    if (!holdsRules(by)) throw othersRule();
    return requireAgent(registry, by, agent).passport.agent_id;
  };

  return {
    get_rule: (by, { agent }) => registry.ruleRecord(subject(by, agent)),

    set_rule(by, { agent, rule, expected_version }) {
      const agentId = subject(by, agent);
      backlog.check();
      const stillBound = guardOf(bindings, by);
      const isOwn = agentId === by.agentId;
      const mayLoosen = (): boolean => holdsRules(by);
      // The grant may be revoked before the change is decided.
      const guard = (): WireError | null => stillBound() ?? (isOwn || mayLoosen() ? null : othersRule());
      return registry.setRule(agentId, rule, expected_version, { guard, mayLoosen });
    },
  };
}

function othersRule(): WireError {
  return new WireError('forbidden', 'params.agent: the rule of another needs the grant "rules"', {
    field: 'params.agent',
  });
}
