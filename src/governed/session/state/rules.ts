/** Reads the creation data of a governed session: the project's config, the runner, and the holder of each role. */

import { ProtocolError } from '../../../core/lib/errors.ts';
import type { JsonObject } from '../../../core/lib/json.ts';
import { participantOf, type SessionMetadata } from '../../../core/records/session/session.ts';
import { checkConfig } from '../../engine/config/check.ts';
import type { GovernedConfig } from '../../engine/config/config.ts';
import { getOwn, isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { misread, or, orNull, recordOf, text } from './shape.ts';

export interface SessionRules {
  readonly config: GovernedConfig;
  /** Identity that observes the project and assigns turns. */
  readonly runner: string;
  /** Holders by role; the runner performs the other roles. */
  readonly roles: Readonly<Record<string, string>>;
}

export type Created = Pick<SessionMetadata, 'knobs' | 'creator_id'>;

export const KNOBS_SCHEMA: JsonObject = {
  type: 'object',
  properties: { config: { type: 'object' }, runner: { type: 'string' }, roles: { type: 'object', default: {} } },
  required: ['config'],
  additionalProperties: false,
};

/** Caches rules by knobs object, because checking a config is expensive. */
const known = new WeakMap<JsonObject, SessionRules>();

export function rulesOf(created: Created): SessionRules {
  const before = known.get(created.knobs);
  if (before !== undefined) return before;
  const rules = readRules(created);
  known.set(created.knobs, rules);
  return rules;
}

function readRules({ knobs, creator_id }: Created): SessionRules {
  const checked = checkConfig(knobs.config);
  if (!checked.ok) {
    const [{ message, error_type, error_field = null }] = checked.faults;
    throw new ProtocolError(`knobs.config: ${message}`, { field: 'knobs.config', error_type, error_field });
  }
  return {
    config: checked.config,
    runner: orNull(text)(knobs.runner, 'knobs.runner') ?? creator_id,
    roles: or(recordOf(text), {})(knobs.roles, 'knobs.roles'),
  };
}

/** Throws unless every named holder participates and every role is declared. */
export function checkRules(metadata: SessionMetadata): void {
  const { config, runner, roles } = rulesOf(metadata);
  requireParticipant(metadata, runner, 'knobs.runner');
  for (const [role, holder] of Object.entries(roles)) {
    const field = `knobs.roles.${role}`;
    const declared = Object.keys(config.roles).join(', ');
    if (getOwn(config.roles, role) === undefined) throw misread(field, `a role of the config (${declared})`, role);
    requireParticipant(metadata, holder, field);
  }
}

/** Replaces names with ids and fills in the runner. */
export function resolvedKnobs(metadata: SessionMetadata): JsonObject {
  const { runner, roles } = rulesOf(metadata);
  const ids = Object.entries(roles).map(([role, holder]) => [role, idOf(metadata, holder)] as const);
  return { ...metadata.knobs, runner: idOf(metadata, runner), roles: Object.fromEntries(ids) };
}

export function holderOf({ roles, runner }: SessionRules, role: string): string {
  return getOwn(roles, role) ?? runner;
}

export function hasHooks({ config }: SessionRules, phase: string): boolean {
  return (getOwn(config.hooks ?? {}, phase)?.length ?? 0) > 0;
}

export function hasNotifications({ config }: SessionRules): boolean {
  const { notifications } = config as GovernedConfig & { readonly notifications?: UnknownRecord };
  return isRecord(notifications) && Object.keys(notifications).length > 0;
}

function requireParticipant(metadata: SessionMetadata, id: string, field: string): void {
  if (participantOf(metadata, id) !== undefined) return;
  throw misread(field, `a participant (${metadata.participants.map(({ name }) => name).join(', ')})`, id);
}

function idOf({ participants }: SessionMetadata, nameOrId: string): string {
  const found =
    participants.find(({ agent_id }) => agent_id === nameOrId) ?? participants.find(({ name }) => name === nameOrId);
  return found?.agent_id ?? nameOrId;
}
