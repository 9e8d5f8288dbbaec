/**
 * Serves a project from a hub: its runs are sessions of that hub, and runner calls from any process are sent there.
 * The hub holds the project's lock while it serves.
 */

import { hostname } from 'node:os';
import { WireError } from '../../core/lib/errors.ts';
import { type Logger, silentLog } from '../../core/ports/platform.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { once } from '../../system/once.ts';
import type { RunState } from '../engine/index.ts';
import { getOwn, isRecord } from '../engine/lib/unknown-record.ts';
import { type HeldLock, KeyedLock, takeLock } from '../files/lock.ts';
import { resolveInside } from '../files/safe-path.ts';
import { badArgument, failureOf, RunnerRefusal } from '../runner/contract/failure.ts';
import { openLocalHub } from '../runner/log/local-hub.ts';
import { type OpenRun, type RunnerContext, type RunnerPorts, runnerContext } from '../runner/log/runner-context.ts';
import { type RunClients, SessionLogs } from '../runner/log/session-log.ts';
import { hasLog, LOCK_FOLDER, LOG_FOLDER, rootOf } from '../runner/log/with-run.ts';
import { type Args, type OperationName, operations } from '../runner/operations/operations.ts';
import { runningRun } from '../runner/project/take-over.ts';
import { repairProjections, runOperationIn } from '../runner/run-operation.ts';
import { type AskedLine, STATE_OP } from '../runner/served/ask-served.ts';
import { readServedNote, type ServedNote, writeServedNote } from '../runner/served/served-note.ts';
import { stageResult } from '../staging/staged-result.ts';
import { openRunSocket, type RunSocket } from './run-socket.ts';
import { closeWithdrawn, LABEL, runnerOf, type ServingHub } from './withdrawn-runs.ts';

export interface ServeRunOptions {
  /** Names of participants by the role they hold; the runner dispatches the other roles. */
  readonly roles?: Readonly<Record<string, string>>;
  /** The hub's data folder, shown when the hub is not running. */
  readonly data?: string;
  readonly log?: Logger;
  readonly ports?: Partial<RunnerPorts>;
}

export interface ServedRun {
  readonly root: string;
  /** Names of the hub identities that run the project and approve its gates. */
  readonly runner: string;
  readonly operator: string;
  /** Finishes the current operation first. The runs stay in the hub. */
  close(): Promise<void>;
}

export async function serveRun(hub: ServingHub, given: string, options: ServeRunOptions = {}): Promise<ServedRun> {
  checkRoles(options.roles);
  const root = await rootOf(given);
  const means = runnerContext(options.ports);
  const lock = await heldLock(root, means);
  try {
    return await servedUnder(lock, hub, root, means, options);
  } catch (thrown) {
    await lock.release();
    throw thrown;
  }
}

async function servedUnder(
  lock: HeldLock,
  hub: ServingHub,
  root: string,
  means: RunnerContext,
  options: ServeRunOptions,
): Promise<ServedRun> {
  const before = await readServedNote(root);
  // Never continue in this hub with runs that belong to another hub.
  const isSame = before !== null && before.data === (options.data ?? null);
  if (before !== null && !isSame) throw servedElsewhere(root, before);
  if (before === null && (await hasLog(root))) await mendFiles(root, means);
  const served_id = before?.served_id ?? means.ids.hex32();
  const serving = new Serving(hub, root, means, {
    served_id,
    runner: runnerOf(served_id),
    operator: `operator-${served_id.slice(0, 8)}`,
    roles: options.roles ?? {},
    log: options.log ?? silentLog,
  });
  await serving.begin();
  await closeWithdrawn(hub, root, options.data ?? null);
  const socket = await openRunSocket(root, (asked) => serving.perform(asked));
  await writeServedNote(root, {
    served_id,
    socket: socket.path,
    pid: process.pid,
    host: hostname(),
    data: options.data ?? null,
    roles: options.roles ?? {},
  });
  return serving.handle(lock, socket);
}

interface Who {
  readonly served_id: string;
  readonly runner: string;
  readonly operator: string;
  readonly roles: Readonly<Record<string, string>>;
  readonly log: Logger;
}

class Serving {
  readonly #hub: ServingHub;
  readonly #root: string;
  readonly #means: RunnerContext;
  readonly #who: Who;
  readonly #inTurn = new KeyedLock();
  /** Fences by calling process, so that one process cannot use the lease of another. */
  readonly #fences = new Map<string, Map<string, number>>();
  #clients: RunClients | null = null;

  constructor(hub: ServingHub, root: string, means: RunnerContext, who: Who) {
    this.#hub = hub;
    this.#root = root;
    this.#means = means;
    this.#who = who;
  }

  /** Takes over a run found in the project's files, and stages results submitted while the project was not served. */
  async begin(): Promise<void> {
    const { runner, operator, served_id, roles } = this.#who;
    const client = await this.#hub.agent(runner, { onMessage: ({ envelope }) => this.#stage(envelope) });
    this.#clients = {
      runner: client,
      operator: once(async () => {
        const joined = await this.#hub.agent(operator);
        await this.#hub.grant(operator, ['approve']);
        return joined;
      }),
      operatorName: operator,
      roles,
      label: { name: LABEL, value: served_id },
    };
    const run = await this.#open(this.#means);
    await runningRun(run, undefined).catch((thrown) => this.#postponed(thrown));
    await repairProjections(run);
    await this.#stageClaims(run);
    await this.#tellHolders(run);
  }

  perform({ op, args, owner }: AskedLine): Promise<unknown> {
    if (op === STATE_OP) return this.#state();
    if (!Object.hasOwn(operations, op)) throw badArgument('op', `one of ${Object.keys(operations).join(', ')}`, op);
    if (!isRecord(args)) throw badArgument('args', 'an object', args);
    return this.#inTurn.take('run', async () => {
      const run = await this.#open(this.#meansFor(owner));
      const before = run.logs.current?.sessionId;
      // Every operation validates its own arguments.
      const answer = await runOperationIn(run, op as OperationName, args as unknown as Args<OperationName>);
      if (run.logs.current?.sessionId !== before) await this.#tellHolders(run);
      return answer;
    });
  }

  /** Reads the state from the log, even during an operation, because files may be stale or edited. */
  async #state(): Promise<RunState | null> {
    const { current } = (await this.#open(this.#means)).logs;
    return current?.record.state.run ?? null;
  }

  handle(lock: HeldLock, socket: RunSocket): ServedRun {
    const { runner, operator } = this.#who;
    const close = once(async () => {
      await socket.close();
      await this.#inTurn.take('run', async () => {
        this.#clients?.runner.close();
      });
      await lock.release();
    });
    return { root: this.#root, runner, operator, close };
  }

  /** Leaves the takeover to a later call if the config or a registered role holder is missing. */
  #postponed(thrown: unknown): null {
    if (thrown instanceof RunnerRefusal && thrown.failure.error_code === 'no_config') return null;
    const isEarly = thrown instanceof WireError && (thrown.code === 'invalid_create' || thrown.code === 'not_found');
    if (!isEarly) throw thrown;
    this.#who.log.warn('run not taken over yet', { root: this.#root, error: thrown.message });
    return null;
  }

  async #open(means: RunnerContext): Promise<OpenRun> {
    if (this.#clients === null) throw new Error('begin() has not connected the clients');
    return { root: this.#root, means, logs: await SessionLogs.read(this.#clients, means) };
  }

  #meansFor(owner: string): RunnerContext {
    const fences = this.#fences.get(owner) ?? new Map<string, number>();
    this.#fences.set(owner, fences);
    return { ...this.#means, kept: { ...this.#means.kept, owner, fences } };
  }

  /** Stages the result of a role holder. Anyone can write to the runner, so only a claim recorded by the run counts. */
  async #stage({ event_type, event_data, session_id, seq }: Envelope): Promise<void> {
    if (event_type !== 'turn.result' || typeof event_data.turn_id !== 'string') return;
    const { current } = (await this.#open(this.#means)).logs;
    if (current?.sessionId !== session_id) return;
    if (current.record.state.claims[event_data.turn_id]?.seq !== seq) return;
    const staged = await stageResult(this.#root, event_data.turn_id, event_data.result);
    if (!staged.ok) this.#who.log.error('result not staged', { error: staged.error });
  }

  /** Only logs a failure, such as of a hook or a lease, because an operator can dispatch the turn. */
  async #tellHolders(run: OpenRun): Promise<void> {
    await notifyHolders(run, this.#who.roles).catch((thrown: unknown) => {
      this.#who.log.warn('holder not notified of an active turn', { error: failureOf(thrown).error });
    });
  }

  async #stageClaims(run: OpenRun): Promise<void> {
    const { current } = run.logs;
    if (current === null || this.#clients === null) return;
    const claimed = new Set(Object.values(current.record.state.claims).map(({ seq }) => seq));
    if (claimed.size === 0) return;
    for await (const envelope of this.#clients.runner.session(current.sessionId).log()) {
      if (claimed.has(envelope.seq)) await this.#stage(envelope);
    }
  }
}

/** Before the takeover, repairs the files from the project's own log, which takes precedence. */
async function mendFiles(root: string, means: RunnerContext): Promise<void> {
  const own = await openLocalHub(await resolveInside(root, LOG_FOLDER), means);
  try {
    await repairProjections({ root, means, logs: await SessionLogs.read(own, means) });
  } finally {
    await own.close();
  }
}

async function heldLock(root: string, { clock, kept }: RunnerContext): Promise<HeldLock> {
  const locked = await takeLock(await resolveInside(root, LOCK_FOLDER), { owner: kept.owner, clock });
  if (locked.ok) return locked.lock;
  throw new RunnerRefusal(locked.error_code, locked.error);
}

function servedElsewhere(root: string, { data }: ServedNote): RunnerRefusal {
  const error = `${root}: its runs are in the hub of ${data ?? 'a process without storage'}; withdraw them first with "parley run take-back"`;
  return new RunnerRefusal('served_elsewhere', error, { details: { data } });
}

function checkRoles(roles: unknown): void {
  const isRoles =
    roles === undefined || (isRecord(roles) && Object.values(roles).every((name) => typeof name === 'string'));
  if (!isRoles) throw badArgument('roles', 'names of participants by role', roles);
}

/** Throws if the run refuses; notifications sent earlier stay sent. */
async function notifyHolders(run: OpenRun, roles: Readonly<Record<string, string>>): Promise<void> {
  for (const turnId of unnotified(run, roles)) {
    await runOperationIn(run, 'transitionActiveTurnLifecycle', { turnId, step: 'stalled' });
    await runOperationIn(run, 'writeDispatchBundle', { config: undefined, options: { turnId } });
  }
}

function unnotified({ logs: { current } }: OpenRun, roles: Readonly<Record<string, string>>): readonly string[] {
  if (current === null || !current.isOpen) return [];
  const { state, events } = current.record;
  if (state.run.status !== 'active') return [];
  // Count only events of this session: a notification in another session does not arrive here.
  const notified = new Set(events.map(({ event_type, turn }) => event_type === 'turn_dispatched' && turn?.turn_id));
  return Object.values(state.run.active_turns)
    .filter(({ assigned_role }) => getOwn(roles, assigned_role) !== undefined)
    .filter(({ status }) => status === 'dispatched' || status === 'starting' || status === 'running')
    .map(({ turn_id }) => turn_id)
    .filter((id) => !notified.has(id));
}
