/** Judges, announces and rejects entries of the registry's log. */

import { WireError } from '../../core/lib/errors.ts';
import { invalidValueError, type JsonObject } from '../../core/lib/json.ts';
import { GRANTS, type Grant } from '../../core/records/access/grants.ts';
import type { Rule, RuleChange, RuleRecord } from '../../core/records/access/rule.ts';
import { applyRuleChange, findLooserField } from '../../core/records/access/rule-schema.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { Resume } from '../../core/records/identity/resume.ts';
import { renderSkill, type Skill, splitSkill } from '../../core/records/identity/skill.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import type { HubEventEmitter } from '../telemetry/events.ts';

export function nameTakenError(name: string, retired: boolean): WireError {
  const why = retired
    ? 'it belonged to an identity that was retired'
    : 'it is registered already: say hello to bind it';
  return new WireError('conflict', `name "${name}" is taken; ${why}`, { field: 'name', received: name });
}

export function skillFrom({ envelope: { event_data, created_at } }: Entry, passport: Passport, resume: Resume): Skill {
  const { text } = event_data;
  if (typeof text !== 'string') {
    return { ...renderSkill(passport, resume), version: Number(event_data.version), last_updated: created_at };
  }
  return {
    agent_id: passport.agent_id,
    name: passport.name,
    text,
    front_matter: event_data.front_matter as JsonObject,
    body: splitSkill(text)?.body ?? text,
    rendered: false,
    version: Number(event_data.version),
    last_updated: created_at,
  };
}

export function versionConflictError(what: 'resume' | 'rule', version: number, expected: number): WireError {
  const message = `the ${what} is at version ${version}, expected_version was ${expected}; read it and try again`;
  return new WireError('conflict', message, { version });
}

function ruleLoosenedError(field: string): WireError {
  const message = `rule.${field}: this allows more than before; loosening a rule requires the grant "rules"`;
  return new WireError('forbidden', message, { field: `rule.${field}` });
}

export function noAgentError(agentId: string): WireError {
  return new WireError('not_found', `no agent ${agentId}`);
}

export function announceEntry(events: HubEventEmitter, { envelope }: Entry, passport: Passport): void {
  const { event_type, event_data } = envelope;
  const changed = (what: 'resume' | 'skill' | 'rule'): void =>
    events.emit('agentChanged', { passport, what, version: Number(event_data.version) });
  switch (event_type) {
    case 'agent.registered':
      return events.emit('agentRegistered', { passport });
    case 'agent.unregistered':
      return events.emit('agentUnregistered', { passport });
    case 'agent.resume':
      return changed('resume');
    case 'agent.skill':
      return changed('skill');
    case 'agent.rule':
      return changed('rule');
    case 'agent.grants':
      return events.emit('agentGranted', { passport, grants: event_data.grants as readonly Grant[] });
  }
}

/** The rule after a change. `mayLoosen` tells whether the change may allow more than before. */
export function changedRule(
  before: RuleRecord,
  change: RuleChange,
  expected: number | undefined,
  mayLoosen: () => boolean,
): Rule | WireError {
  if (expected !== undefined && expected !== before.version)
    return versionConflictError('rule', before.version, expected);
  const rule = applyRuleChange(before.rule, change);
  const looser = mayLoosen() ? null : findLooserField(rule, before.rule);
  return looser === null ? rule : ruleLoosenedError(looser);
}

export function changedGrants(
  held: readonly Grant[],
  grants: readonly Grant[],
  how: 'grant' | 'revoke',
): readonly Grant[] {
  if (how === 'grant') return [...new Set([...held, ...grants])].sort();
  return held.filter((grant) => !grants.includes(grant)).sort();
}

export function checkGrants(grants: unknown): void {
  const known = Object.keys(GRANTS).join(', ');
  if (!Array.isArray(grants)) throw invalidValueError('grants', `a list of ${known}`, grants);
  const wrong: unknown = grants.find((grant) => typeof grant !== 'string' || !Object.hasOwn(GRANTS, grant));
  if (wrong !== undefined) throw invalidValueError('grants', `some of ${known}`, wrong);
}
