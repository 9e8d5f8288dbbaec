/** Starts the participants and schedules of a config file: all of them, or none. */

import type { CommandError } from '../cli/terminal/command-error.ts';
import type { AgentClient } from '../client/agent-client.ts';
import { asError } from '../core/lib/errors.ts';
import type { Logger } from '../core/ports/platform.ts';
import type { Participant } from '../participants/joining/join-hub.ts';
import type { Connect } from '../participants/joining/join-options.ts';
import { joinHub } from '../participants/node.ts';
import type { LocalHub } from '../server/create-hub.ts';
import type { Closeable, UpEvent } from '../server/up.ts';
import { systemClock } from '../system/clock.ts';
import { applyRule, ruleOf } from './apply-rules.ts';
import { applySchedules } from './apply-schedules.ts';
import { AutoRejoin } from './auto-rejoin.ts';
import { requireKnownParticipants } from './check-schedules.ts';
import type { Plan } from './plan.ts';
import type { PreparedAgent } from './prepare-agent.ts';
import { configError, type KeyPath } from './reading/location.ts';

export async function startAgents(
  hub: LocalHub,
  plan: Plan,
  report: (event: UpEvent) => void,
  log: Logger,
): Promise<Closeable> {
  const kept: AutoRejoin<Participant>[] = [];
  const clients = new Map<string, AgentClient>();
  const close = async (): Promise<void> => void (await Promise.all(kept.map((one) => one.close())));
  const names = plan.agents.map(({ name }) => name);
  await requireKnownParticipants(hub, plan.loaded, names);
  try {
    for (const agent of plan.agents) kept.push(await begin(hub, plan, agent, clients, report, log));
    await schedule(hub, plan, clients, report);
    return { close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function begin(
  hub: LocalHub,
  plan: Plan,
  agent: PreparedAgent,
  clients: Map<string, AgentClient>,
  report: (event: UpEvent) => void,
  log: Logger,
): Promise<AutoRejoin<Participant>> {
  const { name, provider, model = null } = agent;
  return AutoRejoin.begin({
    clock: systemClock,
    join: () => join(hub, plan, agent, log).catch((thrown) => Promise.reject(failed(plan, ['agents', name], thrown))),
    joined({ client }) {
      clients.set(name, client);
      report({ event: 'joined', name, agent_id: client.agentId, provider, model });
    },
    lost: (reason, retry_in_ms) => report({ event: 'gone', name, reason, retry_in_ms }),
  });
}

/** Joins in process, without a token or port. */
function join(hub: LocalHub, { loaded }: Plan, agent: PreparedAgent, log: Logger): Promise<Participant> {
  const { name, settings, provider, model, systemPrompt } = agent;
  const { rules, hub: { limits = {} } = {} } = loaded.config;
  const rule = ruleOf(rules, name);
  const connect: Connect = async ({ name: own, ...options }) => {
    const client = await hub.agent(own, options);
    try {
      if (rule !== null) await applyRule(hub, client, rule, limits);
      return client;
    } catch (thrown) {
      client.close();
      throw thrown;
    }
  };
  return joinHub(connect, {
    name,
    register: { kind: 'agent', provider, ...(model === undefined ? {} : { model }) },
    agent: agent.agent,
    systemPrompt,
    resume: resumeOf(agent),
    view: typeof settings.view === 'string' ? { name: settings.view } : settings.view,
    maxParallelTurns: settings.parallel,
    maxAnswers: settings.maxAnswers,
    tools: settings.tools === false ? undefined : settings.tools,
    budget: settings.budget,
    log,
    handlers: {
      onError: (error, { session }) =>
        log.warn('a turn failed', { name, session_id: session.id, error: loaded.hide(error.message) }),
    },
  });
}

function resumeOf({ settings, description }: PreparedAgent) {
  const { capabilities, domains, summary = description } = settings;
  if (capabilities === undefined && domains === undefined && summary === undefined) return undefined;
  return { claimedCapabilities: capabilities ?? [], domains: domains ?? [], summary: summary ?? '' };
}

async function schedule(
  hub: LocalHub,
  plan: Plan,
  clients: ReadonlyMap<string, AgentClient>,
  report: (event: UpEvent) => void,
): Promise<void> {
  const { config, file } = plan.loaded;
  await applySchedules(
    config.schedules ?? {},
    {
      hub,
      file,
      async speaker(name, work) {
        const known = clients.get(name);
        if (known !== undefined) return work(known);
        // Do not answer invites here: the participant's own connection answers them.
        const client = await hub.agent(name, { onInvite: () => new Promise(() => {}) });
        return work(client).finally(() => client.close());
      },
      report: ({ name, schedule_id }, what) => report({ event: 'schedule', name, schedule_id, what }),
    },
    (name, thrown) => failed(plan, ['schedules', name], thrown),
  );
}

function failed({ loaded }: Plan, path: KeyPath, thrown: unknown): CommandError {
  const { source, hide } = loaded;
  return configError(source, [{ path, part: 'key', text: asError(thrown).message }], hide);
}
