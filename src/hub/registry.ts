/** The identities of the hub: a log of the same kind as a session's, with the same two states. */

import type { Draft, Entry, Unit } from '../core/envelope.ts';
import { HUB_ID, PLAIN } from '../core/envelope.ts';
import { WireError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { type Passport, type PassportClaim, passportFrom } from '../core/passport.ts';
import type { HeadToken } from '../core/store.ts';
import { REGISTRY_LOG } from '../core/store.ts';
import { type Judge, type Judgement, Ledger } from './ledger.ts';
import type { HubParts } from './parts.ts';
import { logPages } from './read-pages.ts';

interface Position {
  readonly seq: number;
  readonly envelope_id: string | null;
}

/** One name, for good: once taken it is never given to another. */
interface Identity {
  readonly passport: Passport;
  readonly sinceSeq: number;
  retiredSeq: number | null;
}

export class Registry {
  private readonly parts: HubParts;
  private readonly byName = new Map<string, Identity>();
  private readonly byId = new Map<string, Identity>();
  /** Identities that are leaving: no new session may name them. */
  private readonly leaving = new Set<string>();
  private ledger: Ledger<Position>;
  /** Identities from this seq on are not known, and no more can be written; null = all is well. */
  private damagedFrom: number | null = null;

  constructor(parts: HubParts) {
    this.parts = parts;
    this.ledger = this.makeLedger({ seq: 0, envelope_id: null }, null, null);
  }

  async start(): Promise<void> {
    const { store, log } = this.parts;
    const nothing = { seq: 0, envelope_id: null };
    let position = await store.position(REGISTRY_LOG);
    if (position === null) return;
    const state = await this.readOn(nothing, position.seq).catch(async (thrown: unknown) => {
      // Damage may be found only when it is read; then the store says so from there on.
      position = await store.position(REGISTRY_LOG);
      if (position === null || position.damaged_from === null) throw thrown;
      return this.readOn(nothing, position.seq);
    });
    this.damagedFrom = position.damaged_from;
    if (this.damagedFrom !== null) log.error('the registry is damaged', { damaged_from: this.damagedFrom });
    this.ledger = this.makeLedger(state, state, position.token);
  }

  /** The identity of that name, if it is durable and has not been retired. */
  named(name: string): Passport | null {
    return this.visible(this.byName.get(name));
  }

  byAgentId(agentId: string): Passport | null {
    return this.visible(this.byId.get(agentId));
  }

  /** By id or name, for those who may be named in a new session. The id comes first: a name may look like another's id. */
  invitable(nameOrId: string): Passport | null {
    const passport = this.byAgentId(nameOrId) ?? this.named(nameOrId);
    return passport === null || this.leaving.has(passport.agent_id) ? null : passport;
  }

  /** Names after `after`, in order. */
  list(after: string, limit: number): readonly Passport[] {
    const passports = [...this.byName.values()].map((identity) => this.visible(identity)).filter((one) => one !== null);
    return passports
      .filter(({ name }) => name > after)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }

  register(claim: PassportClaim): Promise<Passport> {
    const agentId = this.parts.ids.hex32();
    return this.admit((state) => {
      const taken = this.byName.get(claim.name);
      if (taken !== undefined) return { kind: 'refuse', error: nameTaken(claim.name, taken.retiredSeq !== null) };
      const stamp = this.parts.stamper.next(state.envelope_id);
      const passport = passportFrom(claim, agentId, stamp.created_at);
      // A passport is JSON: text and null.
      return this.append(state, stamp, 'agent.registered', passport as unknown as JsonObject, passport);
    });
  }

  /** No new session may name it from now on; retire() makes it final. */
  beginLeaving(agentId: string): void {
    this.leaving.add(agentId);
  }

  /** It could not leave: it stays what it was. */
  cancelLeaving(agentId: string): void {
    this.leaving.delete(agentId);
  }

  isGone(agentId: string): boolean {
    return this.leaving.has(agentId) || (this.byId.get(agentId)?.retiredSeq ?? null) !== null;
  }

  /** Everyone who was ever retired. */
  *retiredIds(): Generator<string, void, undefined> {
    for (const [agentId, { retiredSeq }] of this.byId) if (retiredSeq !== null) yield agentId;
  }

  retire(agentId: string): Promise<Passport> {
    return this.admit((state) => {
      const identity = this.byId.get(agentId);
      if (identity === undefined) return { kind: 'refuse', error: new WireError('not_found', `no agent ${agentId}`) };
      if (identity.retiredSeq !== null) return { kind: 'nothing', answer: identity.passport };
      const stamp = this.parts.stamper.next(state.envelope_id);
      return this.append(state, stamp, 'agent.unregistered', { agent_id: agentId }, identity.passport);
    });
  }

  private admit<T>(judge: Judge<Position, T>): Promise<T> {
    if (this.damagedFrom === null) return this.ledger.admit(judge);
    const message = `the registry is damaged from seq ${this.damagedFrom} on; nobody can register until it is repaired`;
    return Promise.reject(new WireError('unavailable', message, { outcome: 'refused' }));
  }

  private append<T>(
    state: Position,
    stamp: { envelope_id: string; created_at: string },
    type: string,
    data: JsonObject,
    answer: T,
  ): Judgement<Position, T> {
    const entry: Entry = { envelope: { ...draftOf(type, data), ...stamp, seq: state.seq + 1, depth: 0 }, turn: null };
    const after = { seq: entry.envelope.seq, envelope_id: entry.envelope.envelope_id };
    return { kind: 'accept', unit: { entries: [entry] }, after, answer };
  }

  /** Identities are shared by both states; what is not durable yet is told apart by its seq. */
  private fold({ envelope }: Entry): Position {
    const { event_type, event_data, seq, envelope_id } = envelope;
    if (event_type === 'agent.registered') {
      // Written by append() from a passport.
      const identity: Identity = { passport: event_data as unknown as Passport, sinceSeq: seq, retiredSeq: null };
      this.byName.set(identity.passport.name, identity);
      this.byId.set(identity.passport.agent_id, identity);
    } else if (event_type === 'agent.unregistered') {
      const identity = this.byId.get(String(event_data.agent_id));
      if (identity !== undefined) identity.retiredSeq = seq;
    }
    return { seq, envelope_id };
  }

  private visible(identity: Identity | undefined): Passport | null {
    if (identity === undefined) return null;
    const durable = this.ledger.durable?.seq ?? 0;
    const retired = identity.retiredSeq !== null && identity.retiredSeq <= durable;
    return identity.sinceSeq <= durable && !retired ? identity.passport : null;
  }

  private makeLedger(initial: Position, durable: Position | null, token: HeadToken | null): Ledger<Position> {
    const owner = {
      logId: REGISTRY_LOG,
      store: this.parts.store,
      backlog: this.parts.backlog,
      onStaged: ({ entries }: Unit) => entries.forEach((entry) => void this.fold(entry)),
      onDurable: (unit: Unit) => this.announce(unit),
      reload: (state: Position | null) => this.reload(state ?? { seq: 0, envelope_id: null }),
      onFailed: (error: Error) => this.parts.fail(error),
      onLost: (error: Error) => this.parts.fail(error),
    };
    return new Ledger(owner, initial, durable, token);
  }

  private announce(unit: Unit): void {
    for (const { envelope } of unit.entries) {
      const registered = envelope.event_type === 'agent.registered';
      const agentId = String(envelope.event_data.agent_id);
      const passport = this.byId.get(agentId)?.passport;
      if (passport === undefined) continue;
      this.parts.events.emit(registered ? 'agentRegistered' : 'agentUnregistered', { passport });
    }
  }

  /** Another writer was first: what was only staged here is forgotten, then the log is read on. */
  private async reload(durable: Position): Promise<{ state: Position; token: HeadToken | null }> {
    for (const [name, identity] of this.byName) {
      if (identity.retiredSeq !== null && identity.retiredSeq > durable.seq) identity.retiredSeq = null;
      if (identity.sinceSeq <= durable.seq) continue;
      this.byName.delete(name);
      this.byId.delete(identity.passport.agent_id);
    }
    const position = await this.parts.store.position(REGISTRY_LOG);
    if (position === null && durable.seq > 0) throw new WireError('internal', 'the registry is gone from the store');
    if (position === null) return { state: durable, token: null };
    return { state: await this.readOn(durable, position.seq), token: position.token };
  }

  private async readOn(from: Position, to_seq: number): Promise<Position> {
    let state = from;
    for await (const entries of logPages(this.parts.store, REGISTRY_LOG, from.seq + 1, to_seq)) {
      for (const entry of entries) state = this.fold(entry);
      if (state.envelope_id !== null) this.parts.stamper.observe(state.envelope_id);
    }
    return state;
  }
}

function draftOf(event_type: string, event_data: JsonObject): Draft {
  return {
    session_id: REGISTRY_LOG,
    sender_id: HUB_ID,
    audience: [],
    event_type,
    event_data,
    ...PLAIN,
  };
}

function nameTaken(name: string, retired: boolean): WireError {
  const why = retired
    ? 'it belonged to an identity that was retired'
    : 'it is registered already: say hello to bind it';
  return new WireError('conflict', `name "${name}" is taken; ${why}`, { field: 'name', received: name });
}
