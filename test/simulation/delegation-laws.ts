/** Delegation by an independent reading of the spec: accounts add up, one child each, nothing left open. */

import type { Entry, Envelope, ExpectationEntry } from 'parley-hub/core';
import { holds } from './law-broken.ts';

type Unit = 'usd' | 'tokens';
const UNITS: readonly Unit[] = ['usd', 'tokens'];
const ENDED = new Set(['session.closed', 'session.expired']);
const ENDING = new Set(['session.closing', ...ENDED]);

interface Amounts {
  readonly usd: number | null;
  readonly tokens: number | null;
}

interface Sessions {
  keys(): Iterable<string>;
  get(id: string): { readonly entries: readonly Entry[] } | undefined;
}

/** `log`: everything before the envelope. */
export function checkAccount(log: readonly Entry[], { event_type, event_data, session_id, seq }: Envelope): void {
  const where = `${session_id} seq ${seq}`;
  const id = event_data.delegation_id;
  if (event_type === 'delegation.opened') {
    holds(!log.some(isAbout(id)), 'DG2', () => `${where}: ${String(id)} is opened twice`);
    holds(!log.some(({ envelope }) => ENDING.has(envelope.event_type)), 'DG5', () => `${where}: opened in an end`);
    for (const unit of UNITS) checkRoom(log, unit, event_data.budget as unknown as Amounts | null, where);
  }
  if (event_type === 'delegation.settled') {
    const about = log.filter(isAbout(id)).map(({ envelope }) => envelope.event_type);
    holds(
      about.join() === 'delegation.opened',
      'DG2',
      () => `${where}: settles what is ${about.join(' and ') || 'not there'}`,
    );
  }
}

/** Spending, reservations and the request stay within every budget that applies to everyone. */
function checkRoom(log: readonly Entry[], unit: Unit, budget: Amounts | null, where: string): void {
  const { expectations } = createdIn(log).manifest as unknown as { expectations: readonly ExpectationEntry[] };
  for (const { name, params, applies_to } of expectations) {
    const limit = params[unit];
    if (name !== 'budget_within' || applies_to !== undefined || typeof limit !== 'number') continue;
    const asked = budget?.[unit] ?? null;
    holds(asked !== null && asked > 0, 'DG4', () => `${where}: nothing is set aside of ${limit} ${unit}`);
    const booked = spentUpTo(log)[unit] + reservedIn(log, unit);
    holds(booked + asked <= limit + 1e-6, 'DG4', () => `${where}: ${booked} + ${asked} of ${limit} ${unit}`);
  }
}

function reservedIn(log: readonly Entry[], unit: Unit): number {
  return openIn(log).reduce((sum, { event_data }) => {
    const reserved = (event_data.budget as unknown as Amounts | null)?.[unit] ?? 0;
    holds(reserved >= 0, 'DG4', () => `a reservation of ${reserved} ${unit}`);
    return sum + reserved;
  }, 0);
}

function openIn(log: readonly Entry[]): readonly Envelope[] {
  const settled = new Set(typed(log, 'delegation.settled').map(({ event_data }) => event_data.delegation_id));
  return typed(log, 'delegation.opened').filter(({ event_data }) => !settled.has(event_data.delegation_id));
}

/** Spending in posts and settlements; the reservation where it is unknown. */
function spentUpTo(log: readonly Entry[]): Record<Unit, number> {
  const sum = { usd: 0, tokens: 0 };
  for (const { envelope } of log) {
    const { event_type, event_data } = envelope;
    if (event_type === 'delegation.settled') {
      const reserved = log.find(isAbout(event_data.delegation_id))?.envelope.event_data.budget;
      const spent = (event_data.spent ?? reserved ?? {}) as Partial<Record<Unit, number | null>>;
      for (const unit of UNITS) sum[unit] += spent[unit] ?? 0;
    } else if (!/^(session|expectation|task|delegation)\.|^context\.set$/.test(event_type)) {
      const usage = (event_data.usage ?? {}) as Record<string, number>;
      sum.usd += Number(event_data.cost_usd ?? 0);
      for (const some of Object.values(usage)) sum.tokens += some;
    }
  }
  return sum;
}

/** Over all sessions, once nothing moves any more. */
export function checkTrees(sessions: Sessions, count: (kind: string) => void): void {
  const children = new Map<string, string>();
  for (const sessionId of sessions.keys()) {
    const log = sessions.get(sessionId)?.entries ?? [];
    checkChild(sessionId, log, sessions, children);
    if (hasEnded(log)) holds(openIn(log).length === 0, 'DG5', () => `${sessionId} has ended with delegations open`);
    else for (const open of openIn(log)) checkUnderWay(open, sessions);
    for (const settled of typed(log, 'delegation.settled')) {
      count(`delegation ${String(settled.event_data.outcome)}`);
      checkSettled(settled, sessions);
    }
  }
}

/** An open delegation has a live child: the hub has caught up. */
function checkUnderWay({ event_data, session_id }: Envelope, sessions: Sessions): void {
  const id = String(event_data.delegation_id);
  const logs = [...sessions.keys()].map((sessionId) => sessions.get(sessionId)?.entries ?? []);
  const child = logs.find((log) => (createdIn(log).labels as Record<string, string>).delegation === id);
  holds(child !== undefined, 'DG3', () => `${session_id}: ${id} is open and has no child`);
  const isEnding = child.some(({ envelope }) => ENDING.has(envelope.event_type));
  holds(!isEnding, 'DG3', () => `${session_id}: ${id} is open, and its child has ended`);
}

function checkChild(sessionId: string, log: readonly Entry[], sessions: Sessions, children: Map<string, string>): void {
  const { labels, parent_session_id } = createdIn(log);
  const id = (labels as Record<string, string>).delegation;
  const parentId = typeof parent_session_id === 'string' ? parent_session_id : null;
  const parent = parentId === null ? [] : (sessions.get(parentId)?.entries ?? []);
  if (parentId !== null && hasEnded(parent)) {
    const isEnding = log.some(({ envelope }) => ENDING.has(envelope.event_type));
    holds(isEnding, 'DG5', () => `${sessionId} lives on after its parent ${parentId}`);
  }
  if (id === undefined) return;
  holds(!children.has(id), 'DG3', () => `${sessionId} and ${children.get(id)} are children of one delegation`);
  children.set(id, sessionId);
  const reservation = parent.find(isAbout(id))?.envelope;
  holds(
    reservation !== undefined && reservation.envelope_id < (log[0]?.envelope.envelope_id ?? ''),
    'DG2',
    () => `${sessionId} is a child without a reservation`,
  );
}

/** The settled spending equals that of the child. */
function checkSettled({ event_data, session_id }: Envelope, sessions: Sessions): void {
  const { child_session_id, spent, outcome } = event_data;
  if (typeof child_session_id !== 'string' || spent === null) return;
  const log = sessions.get(child_session_id)?.entries ?? [];
  const really = spentUpTo(log);
  const said = spent as unknown as Record<Unit, number>;
  for (const unit of UNITS)
    holds(
      Math.abs(really[unit] - said[unit]) < 1e-6,
      'DG4',
      () => `${session_id}: ${child_session_id} spent ${really[unit]} ${unit}, ${said[unit]} were settled`,
    );
  const isAnswered = typed(log, 'msg.text').length > 1;
  holds((outcome === 'replied') === isAnswered, 'DG7', () => `${child_session_id} is said to be ${String(outcome)}`);
}

function hasEnded(log: readonly Entry[]): boolean {
  return log.some(({ envelope }) => ENDED.has(envelope.event_type));
}

function createdIn(log: readonly Entry[]): Envelope['event_data'] {
  return log[0]?.envelope.event_data ?? {};
}

function typed(log: readonly Entry[], type: string): readonly Envelope[] {
  return log.map(({ envelope }) => envelope).filter(({ event_type }) => event_type === type);
}

function isAbout(id: unknown): (entry: Entry) => boolean {
  return ({ envelope }) => envelope.event_type.startsWith('delegation.') && envelope.event_data.delegation_id === id;
}
