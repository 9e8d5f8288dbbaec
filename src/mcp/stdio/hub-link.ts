/** Connects the participant of a stdio server on first use, and reconnects after a loss. */

import type { AgentClient } from '../../client/agent-client.ts';
import { type ConnectionEnd, describeEnd } from '../../client/connection/connection-types.ts';
import type { ConnectOptions } from '../../client/node.ts';
import { isRefusal, onlyNameFrom } from '../../client/refusals.ts';
import type { InviteDecision } from '../../client/session/invites.ts';
import { HubError, WireError } from '../../core/lib/errors.ts';
import type { Logger } from '../../core/ports/platform.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import {
  type Claim,
  claimParams,
  isClaim,
  type Participant,
  Refusal,
  WakeSignal,
  type Watch,
} from '../session/participant.ts';
import { inTime } from '../tools/wait-for.ts';

export interface LinkSettings {
  readonly url: string;
  readonly name: string;
  /** True if no name was configured: a token for one name then decides it. */
  readonly isNameOpen?: boolean;
  readonly proof: Pick<ConnectOptions, 'credentials'> & { readonly ca?: string };
  readonly claim?: Claim;
  readonly patienceMs: number;
  readonly log: Logger;
}

export class HubLink implements Participant {
  private readonly settings: LinkSettings;
  private client: Promise<AgentClient> | null = null;
  private isEnded = false;
  /** Why the last connection ended; the next call throws it. */
  private lost: Refusal | null = null;
  private readonly bells = new Set<WakeSignal>();
  /** Invites that the model has not answered, by session. */
  private readonly invites = new Map<string, (decision: InviteDecision) => void>();

  constructor(settings: LinkSettings) {
    this.settings = settings;
  }

  get agentId(): Promise<string> {
    return this.connected().then(({ agentId }) => agentId);
  }

  async call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>> {
    const client = await this.connected();
    try {
      const result = await client.call(op, params, { deadlineMs: this.settings.patienceMs });
      this.settle(op, params);
      return result;
    } catch (thrown) {
      throw await this.explained(thrown, client);
    }
  }

  watch(): Watch {
    const bell = new WakeSignal((ended) => this.bells.delete(ended));
    this.bells.add(bell);
    return bell;
  }

  /** Does nothing: the connection acks deliveries itself. */
  hasRead(): void {}

  async end(): Promise<void> {
    this.isEnded = true;
    (await this.client?.catch(() => null))?.close();
  }

  /** Shares one connection; after an end or a failure the next call connects again. */
  connected(): Promise<AgentClient> {
    if (this.isEnded) return Promise.reject(new HubError('client_closed', 'this server is stopping'));
    const { lost } = this;
    this.lost = null;
    if (lost !== null) return Promise.reject(lost);
    this.client ??= this.connect();
    return this.answered(this.client);
  }

  /** Limits the wait to `patienceMs`; the connection attempt continues. */
  private async answered(client: Promise<AgentClient>): Promise<AgentClient> {
    const { url, patienceMs } = this.settings;
    const found = await inTime(client, patienceMs);
    if (found !== null) return found;
    throw new WireError('unavailable', `${url}: no answer within ${patienceMs / 1000} s`, { outcome: 'refused' });
  }

  private async connect(): Promise<AgentClient> {
    const { url, name, isNameOpen, log } = this.settings;
    try {
      const client = await this.connectAs(name).catch((thrown) => {
        const own = isNameOpen === true ? otherName(thrown) : null;
        if (own === null) throw thrown;
        return this.connectAs(own);
      });
      await this.claim(client);
      void client.closed.then((end) => this.ended(client, end));
      log.info(`connected to ${url} as ${client.name}`);
      return client;
    } catch (thrown) {
      this.client = null;
      throw explainConnectError(thrown, this.settings);
    }
  }

  /** A rejected claim does not prevent participation. */
  private async claim(client: AgentClient): Promise<void> {
    const { claim, log, patienceMs } = this.settings;
    if (claim === undefined || !isClaim(claim)) return;
    await client.call('set_resume', claimParams(claim), { deadlineMs: patienceMs }).catch((error: unknown) => {
      log.warn(`claim rejected: ${error instanceof Error ? error.message : error}`);
    });
  }

  private async connectAs(name: string): Promise<AgentClient> {
    const { url, proof, log } = this.settings;
    const ring = (): void => this.ring();
    const { connect } = await import('../../client/node.ts');
    return connect(url, {
      ...proof,
      name,
      // Hide the client's expected warning that a new name is not registered yet.
      log: { ...log, warn() {} },
      // Deliveries only wake the tools, which read the log.
      onMessage: ring,
      onEvent: ring,
      onState: ring,
      onInvite: ({ session }) => this.leaveOpen(session.id),
    });
  }

  /** The next call reconnects. After a replacement it fails first, so that two servers of one name do not alternate forever. */
  private ended({ name }: AgentClient, end: ConnectionEnd): void {
    this.client = null;
    this.invites.clear();
    const { url, log } = this.settings;
    // Do not report an end that this server caused.
    if (!this.isEnded) log.warn(`${name} is no longer connected: ${describeEnd(end)}`);
    if (end.by === 'hub' && end.reason === 'replaced') {
      this.lost = new Refusal(
        `"${name}" connected to ${url} from elsewhere, which replaced this connection. Call again to bring it back here; ` +
          'if both should participate, give one of them another name (--name).',
      );
    }
    this.ring();
  }

  private ring(): void {
    for (const bell of this.bells) bell.ring();
  }

  private leaveOpen(sessionId: string): Promise<InviteDecision> {
    this.ring();
    return new Promise((resolve) => this.invites.set(sessionId, resolve));
  }

  /** Resolves the client's pending invite; the hub ignores the client's second answer. */
  private settle(op: OperationName, params: object): void {
    if (op !== 'ack_invite' && op !== 'reject_invite') return;
    const sessionId = 'session_id' in params ? String(params.session_id) : '';
    this.invites.get(sessionId)?.(op === 'ack_invite');
    this.invites.delete(sessionId);
  }

  /** If the hub is unreachable, reports that instead of the operation's timeout. */
  private async explained(thrown: unknown, client: AgentClient): Promise<unknown> {
    const { url } = this.settings;
    const end = client.state === 'closed' ? await client.closed : null;
    if (end !== null && isSentAway(end)) return invalidTokenError(url, client.name, thrown);
    if (client.state === 'open' || !(thrown instanceof WireError) || thrown.code !== 'timeout') return thrown;
    const message = `the hub at ${url} is unreachable; this server reconnects automatically`;
    return new WireError('unavailable', message, { outcome: 'unknown' }, { cause: thrown });
  }
}

function isSentAway(end: ConnectionEnd): boolean {
  if (end.by === 'refusal') return end.error.code === 'unauthenticated';
  return end.by === 'hub' && end.reason === 'unauthorized';
}

/** The token's only name, if the hub refused our name for that reason; otherwise null. */
function otherName(thrown: unknown): string | null {
  return thrown instanceof WireError && isRefusal(thrown) ? onlyNameFrom(thrown) : null;
}

function explainConnectError(
  thrown: unknown,
  { url, name, proof }: Pick<LinkSettings, 'url' | 'name' | 'proof'>,
): unknown {
  if (!isRefusal(thrown)) return thrown;
  if (proof.credentials?.scheme === 'none') {
    return new Refusal(
      `no token, but ${url} requires one. Tell your user: "parley mcp" reads it from PARLEY_TOKEN, from a file with --token-file, ` +
        "or from the hub's data folder with --data.",
    );
  }
  const only = otherName(thrown);
  if (only === null) return thrown.code === 'forbidden' ? thrown : invalidTokenError(url, name, thrown);
  return new Refusal(
    `the token is for "${only}" only, but this server was started as "${name}". Tell your user: omit --name, or use --name ${only}, ` +
      `or a token for ${name} ("parley token create --name ${name}").`,
  );
}

/** The hub does not distinguish an unknown name from a wrong token, so the advice is to check the token. */
function invalidTokenError(url: string, name: string, cause: unknown): WireError {
  const message = `the token of this server, as "${name}" at ${url}, is wrong or no longer valid`;
  return new WireError('unauthenticated', message, { name }, { cause });
}
