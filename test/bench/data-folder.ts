/** A data folder with very many live sessions, written by the store and kept between runs. */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversation } from 'parley-hub/adapters/conversation';
import { advance, type Governance } from '../../src/core/decisions/advance.ts';
import { createDrafts } from '../../src/core/decisions/create.ts';
import type { Decision } from '../../src/core/decisions/decision.ts';
import { ackInvite } from '../../src/core/decisions/membership.ts';
import { type CompleteAdapter, completeAdapter } from '../../src/core/ports/adapter.ts';
import type { HeadToken, Store } from '../../src/core/ports/store.ts';
import { DEFAULT_LIMITS } from '../../src/core/records/access/limits.ts';
import { type Draft, PLAIN } from '../../src/core/records/session/envelope.ts';
import type { SessionState } from '../../src/core/state/state.ts';
import { Stamper } from '../../src/hub/time/stamper.ts';
import { openStore } from '../../src/store/open-store.ts';
import { systemClock } from '../../src/system/clock.ts';
import { systemIds } from '../../src/system/ids.ts';
import { Arena, TEXT } from './arena.ts';

const FORMAT = 'v1';
const AGENTS = 1_000;
const ENVELOPES_PER_SESSION = 10;
/** Ten years: sessions of a kept folder must not be due. */
const TTL_MS = 3650 * 86_400_000;
const UNITS_IN_FLIGHT = 4_000;

export interface DataFolder {
  readonly folder: string;
  readonly sessionId: string;
  readonly agentName: string;
}

interface Agent {
  readonly agent_id: string;
  readonly name: string;
}

export async function dataFolder(sessions: number, note: (text: string) => void): Promise<DataFolder> {
  const folder = join(tmpdir(), `parley-bench-${FORMAT}-${sessions}`);
  const about = join(folder, 'bench.json');
  if (existsSync(about)) return JSON.parse(readFileSync(about, 'utf8')) as DataFolder;
  rmSync(folder, { recursive: true, force: true });
  const building = `${folder}.building`;
  rmSync(building, { recursive: true, force: true });
  const agents = await registerAgents(building);
  const sessionId = await fill(building, sessions, agents, note);
  const made: DataFolder = { folder, sessionId, agentName: agents[0]?.name ?? '' };
  renameSync(building, folder);
  writeFileSync(about, JSON.stringify(made));
  return made;
}

async function registerAgents(folder: string): Promise<readonly Agent[]> {
  const arena = await Arena.open(folder);
  const names = Array.from({ length: AGENTS }, (_, i) => `agent-${i}`);
  const agents = await Promise.all(names.map((name) => arena.join(name)));
  await arena.stop();
  return agents.map(({ agentId, name }) => ({ agent_id: agentId, name }));
}

/** Returns the id of the first session, created by the first agent. */
async function fill(
  folder: string,
  sessions: number,
  agents: readonly Agent[],
  note: (text: string) => void,
): Promise<string> {
  const { store } = await openStore(folder);
  const stamper = new Stamper(systemClock, systemIds);
  stamper.observe((await store.newestEnvelopeId()) ?? '0'.repeat(32));
  const adapter = completeAdapter(conversation);
  const governance: Governance = { adapter, epoch: 1, maxEnvelopes: 1_000_000, stamp: (last) => stamper.next(last) };
  const first = systemIds.hex32();
  let units = 0;
  for (let i = 0; i < sessions; i++) {
    const [by, other] = [agents[i % agents.length], agents[(i * 7 + 1) % agents.length]];
    if (by === undefined || other === undefined) throw new Error('there are no agents');
    const log = new LogWriter(store, i === 0 ? first : systemIds.hex32(), governance);
    log.append(createDrafts(factsOf(log.logId, adapter, by, by === other ? (agents[1] ?? other) : other)));
    log.decide((state) => ackInvite(state, state.metadata.pending_acks[0] ?? ''));
    while (log.length < ENVELOPES_PER_SESSION) log.append([textDraft(log.logId, by.agent_id)]);
    units += ENVELOPES_PER_SESSION - 2;
    if (units < UNITS_IN_FLIGHT && i + 1 < sessions) continue;
    units = 0;
    await log.done;
    if (i % 1000 < 600) note(`data folder: ${i + 1} of ${sessions} sessions`);
  }
  await store.close();
  return first;
}

class LogWriter {
  readonly logId: string;
  readonly #store: Store;
  readonly #governance: Governance;
  #state: SessionState | null = null;
  #token: HeadToken | null = null;
  #done: Promise<unknown> = Promise.resolve();

  constructor(store: Store, logId: string, governance: Governance) {
    this.#store = store;
    this.logId = logId;
    this.#governance = governance;
  }

  get length(): number {
    return this.#state?.head.seq ?? 0;
  }

  get done(): Promise<unknown> {
    return this.#done;
  }

  append(drafts: readonly Draft[]): void {
    const { entries, after } = advance(this.#state, drafts, this.#governance);
    const { token, outcome } = this.#store.append(this.logId, this.#token, { entries });
    this.#state = after;
    this.#token = token;
    this.#done = outcome;
  }

  decide(decide: (state: SessionState) => Decision<unknown>): void {
    if (this.#state === null) throw new Error('nothing was written yet');
    const decision = decide(this.#state);
    if (decision.kind !== 'append') throw new Error(`the decision was to ${decision.kind}`);
    this.append(decision.drafts);
  }
}

function factsOf(
  sessionId: string,
  adapter: CompleteAdapter,
  by: Agent,
  other: Agent,
): Parameters<typeof createDrafts>[0] {
  return {
    session_id: sessionId,
    adapter,
    creator_id: by.agent_id,
    participants: [by, other],
    knobs: {},
    labels: {},
    expectations: null,
    requiredAcks: null,
    ttlMs: TTL_MS,
    inviteTimeoutMs: null,
    drainTimeoutMs: DEFAULT_LIMITS.drainTimeoutMs,
    parent: null,
    idempotencyKey: null,
    requestDigest: '',
    viewVersions: () => ({}),
    nowMs: systemClock.now(),
    limits: DEFAULT_LIMITS,
  };
}

function textDraft(session_id: string, sender_id: string): Draft {
  return { session_id, sender_id, audience: null, event_type: 'msg.text', event_data: { text: TEXT }, ...PLAIN };
}
