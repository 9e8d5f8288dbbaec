/** Tries the schedules of a config file on a temporary hub, and checks that their participants exist. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentClient } from '../client/agent-client.ts';
import { asError, WireError } from '../core/lib/errors.ts';
import type { ParticipantRef } from '../core/records/session/create-params.ts';
import { createHub, type LocalHub } from '../server/create-hub.ts';
import { applyRule, ruleOf } from './apply-rules.ts';
import { toScheduleOptions } from './apply-schedules.ts';
import type { LoadedConfig } from './load-config.ts';
import { configError, type KeyPath, type Problem } from './reading/location.ts';
import { displayValue } from './shape/check-shape.ts';
import type { Config, ScheduleConfig } from './shape/config.ts';

/** Registers every named participant; `findUnknownParticipants` reports unknown ones. */
export async function checkSchedules(config: Config, raw: unknown): Promise<readonly Problem[]> {
  const schedules = Object.entries(config.schedules ?? {});
  if (schedules.length === 0) return [];
  // Conflicting limits are reported when the hub starts.
  const hub = await createHub({ limits: config.hub?.limits ?? {} }).catch(() => null);
  if (hub === null) return [];
  try {
    const cast = await registered(hub, config);
    const found: Problem[] = [];
    for (const [name, schedule] of schedules) found.push(...(await refusals(name, schedule, cast, raw)));
    return found;
  } finally {
    await hub.stop();
  }
}

type Cast = ReadonlyMap<string, AgentClient>;

/** The placeholder name for an id or a capability, which only the real hub knows. */
const anybody = (at: number): string => `anybody-${at}`;

async function registered(hub: LocalHub, { agents = {}, schedules = {}, rules, hub: settings }: Config): Promise<Cast> {
  const named = Object.values(schedules).flatMap(({ as, participants }) => [as, ...stoodFor(participants)]);
  const clients = new Map<string, AgentClient>();
  for (const name of new Set([...Object.keys(agents), ...named])) {
    const client = await hub.agent(name, { onInvite: () => new Promise(() => {}) });
    clients.set(name, client);
    const rule = Object.hasOwn(agents, name) ? ruleOf(rules, name) : null;
    if (rule !== null) await applyRule(hub, client, rule, settings?.limits ?? {});
  }
  return clients;
}

function stoodFor(participants: readonly ParticipantRef[]): readonly string[] {
  return participants.map((one, at) => (isName(one) && !/^[0-9a-f]{32}$/.test(one) ? one : anybody(at)));
}

/** Finds all problems of one schedule: drops each rejected key and tries again. */
async function refusals(name: string, schedule: ScheduleConfig, cast: Cast, raw: unknown): Promise<readonly Problem[]> {
  const { as, ...settings } = schedule;
  const client = cast.get(as);
  const participants = stoodFor(settings.participants);
  const found: Problem[] = [];
  let session: Omit<ScheduleConfig, 'as'> = { ...settings, participants };
  for (;;) {
    try {
      await client?.schedule(name, toScheduleOptions(session, 'config'));
      return found;
    } catch (thrown) {
      const problem = problemOf(name, thrown, raw);
      found.push(problem);
      const key = problem.path[2];
      if (typeof key !== 'string' || !Object.hasOwn(session, key) || NEEDED.includes(key)) return found;
      const { [key as keyof typeof session]: _wrong, ...rest } = session;
      session = rest as typeof session;
    }
  }
}

const NEEDED: readonly string[] = ['type', 'participants', 'cron', 'zone'];
const OWN_NAMES: Readonly<Record<string, string>> = {
  expression: 'cron',
  required_acks: 'requiredAcks',
  invite_timeout: 'inviteTimeout',
  drain_timeout: 'drainTimeout',
};

function problemOf(name: string, thrown: unknown, raw: unknown): Problem {
  const { message } = asError(thrown);
  const details = thrown instanceof WireError ? thrown.details : undefined;
  const field = typeof details?.field === 'string' ? details.field : '';
  const [key = '', ...rest] = field
    .replace(/^params\./, '')
    .replace(/^template\./, '')
    .split('.');
  if (key === '') return { path: ['schedules', name], part: 'key', text: message };
  const inner = rest.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const path: KeyPath = ['schedules', name, OWN_NAMES[key] ?? key, ...inner];
  const { expected } = details ?? {};
  const said = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return { path, text: typeof expected === 'string' ? `expected ${expected}, got ${displayValue(path, raw)}` : said };
}

function isName(one: ParticipantRef): one is string {
  return typeof one === 'string';
}

/** True if the data folder has no hub data yet, so that nobody is registered. */
export function isNewFolder(data: string): boolean {
  return !existsSync(join(data, 'parley.json'));
}

/** Throws if schedules name unknown participants. Runs before anything is created. */
export async function requireKnownParticipants(
  hub: LocalHub,
  loaded: LoadedConfig,
  agentNames: readonly string[],
): Promise<void> {
  const problems = await findUnknownParticipants(hub, loaded, agentNames);
  if (problems.length > 0) throw configError(loaded.source, problems, loaded.hide);
}

/** `hub`: null if nobody is registered yet. `agentNames`: the agents of the file, valid or not. */
export async function findUnknownParticipants(
  hub: LocalHub | null,
  { config: { schedules = {} } }: LoadedConfig,
  agentNames: readonly string[],
): Promise<readonly Problem[]> {
  const known = new Set(agentNames);
  const problems: Problem[] = [];
  for (const [schedule, { as, participants }] of Object.entries(schedules)) {
    known.add(as);
    for (const [at, name] of participants.entries()) {
      if (!isName(name) || known.has(name) || (hub !== null && (await isRegistered(hub, name)))) continue;
      const text = `"${name}" is neither one of agents nor registered with the hub`;
      problems.push({ path: ['schedules', schedule, 'participants', at], text });
    }
  }
  return problems;
}

/** Tests a name with an empty grant, which fails unless the name is registered. */
async function isRegistered(hub: LocalHub, name: string): Promise<boolean> {
  return hub.grant(name, []).then(
    () => true,
    () => false,
  );
}
