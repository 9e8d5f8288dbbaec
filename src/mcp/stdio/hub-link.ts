/** The participant of a process of its own: a connection that is made when it is needed, and made again when it is lost. */

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
  /** Nobody said the name: a token for one name alone says it. */
  readonly isNameOpen?: boolean;
  /** How it proves who it is, and what it trusts. */
  readonly proof: Pick<ConnectOptions, 'credentials'> & { readonly ca?: string };
  /** What it can do, for others to find it by. */
  readonly claim?: Claim;
  /** How long a call waits for a hub that is away. */
  readonly patienceMs: number;
  readonly log: Logger;
}

export class HubLink implements Participant {
  private readonly settings: LinkSettings;
  private client: Promise<AgentClient> | null = null;
  private isEnded = false;
  /** Why the last connection ended, for the next who asks. */
  private lost: Refusal | null = null;
  private readonly bells = new Set<WakeSignal>();
  /** By session: an invite that was left open for the model to decide. */
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

  /** What a connection delivers is acked as it comes. */
  hasRead(): void {}

  async end(): Promise<void> {
    this.isEnded = true;
    (await this.client?.catch(() => null))?.close();
  }

  /** One connection for all who ask; after it ended, or could not be made, the next who asks makes another. */
  connected(): Promise<AgentClient> {
    if (this.isEnded) return Promise.reject(new HubError('client_closed', 'this server is stopping'));
    const { lost } = this;
    this.lost = null;
    if (lost !== null) return Promise.reject(lost);
    this.client ??= this.connect();
    return this.answered(this.client);
  }

  /** Whoever asks does not wait for ever; the connection may still come. */
  private async answered(client: Promise<AgentClient>): Promise<AgentClient> {
    const { url, patienceMs } = this.settings;
    const found = await inTime(client, patienceMs);
    if (found !== null) return found;
    throw new WireError('unavailable', `${url} has not answered for ${patienceMs / 1000} s`, { outcome: 'refused' });
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

  /** What the hub does not take of it keeps nobody from taking part. */
  private async claim(client: AgentClient): Promise<void> {
    const { claim, log, patienceMs } = this.settings;
    if (claim === undefined || !isClaim(claim)) return;
    await client.call('set_resume', claimParams(claim), { deadlineMs: patienceMs }).catch((error: unknown) => {
      log.warn(`what it can do was not taken: ${error instanceof Error ? error.message : error}`);
    });
  }

  private async connectAs(name: string): Promise<AgentClient> {
    const { url, proof, log } = this.settings;
    const ring = (): void => this.ring();
    const { connect } = await import('../../client/node.ts');
    return connect(url, {
      ...proof,
      name,
      // That a new name is refused before it is registered is no news.
      log: { ...log, warn() {} },
      // Taken as it comes: what was said is in the log, and read from there.
      onMessage: ring,
      onEvent: ring,
      onState: ring,
      onInvite: ({ session }) => this.leaveOpen(session.id),
    });
  }

  /** Asked for again, it is made again. Who was replaced is told first: two of a name would take over from each other for ever. */
  private ended({ name }: AgentClient, end: ConnectionEnd): void {
    this.client = null;
    this.invites.clear();
    const { url, log } = this.settings;
    // Its own end is no news.
    if (!this.isEnded) log.warn(`${name} is no longer connected: ${describeEnd(end)}`);
    if (end.by === 'hub' && end.reason === 'replaced') {
      this.lost = new Refusal(
        `"${name}" was connected to ${url} from elsewhere, and went on there. Call again to bring it back here; ` +
          'if both are to take part, one of them needs another name (--name).',
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

  /** The client's own answer repeats ours, which changes nothing; with it the invite is off its list. */
  private settle(op: OperationName, params: object): void {
    if (op !== 'ack_invite' && op !== 'reject_invite') return;
    const sessionId = 'session_id' in params ? String(params.session_id) : '';
    this.invites.get(sessionId)?.(op === 'ack_invite');
    this.invites.delete(sessionId);
  }

  /** Where the hub is away, that is what is said, whatever it was that could not be done. */
  private async explained(thrown: unknown, client: AgentClient): Promise<unknown> {
    const { url } = this.settings;
    const end = client.state === 'closed' ? await client.closed : null;
    if (end !== null && isSentAway(end)) return invalidTokenError(url, client.name, thrown);
    if (client.state === 'open' || !(thrown instanceof WireError) || thrown.code !== 'timeout') return thrown;
    const message = `the hub at ${url} is out of reach at the moment; this server reconnects by itself`;
    return new WireError('unavailable', message, { outcome: 'unknown' }, { cause: thrown });
  }
}

/** Its token does not count any more. */
function isSentAway(end: ConnectionEnd): boolean {
  return (
    (end.by === 'hub' && end.reason === 'unauthorized') ||
    (end.by === 'refusal' && end.error.code === 'unauthenticated')
  );
}

/** The one name its token speaks for, where that is another than the one that was tried. */
export function otherName(thrown: unknown): string | null {
  return thrown instanceof WireError && isRefusal(thrown) ? onlyNameFrom(thrown) : null;
}

export function explainConnectError(
  thrown: unknown,
  { url, name, proof }: Pick<LinkSettings, 'url' | 'name' | 'proof'>,
): unknown {
  if (!isRefusal(thrown)) return thrown;
  if (proof.credentials?.scheme === 'none') {
    return new Refusal(
      `no token was given, and ${url} needs one. Tell your user: "parley mcp" takes it from PARLEY_TOKEN, from a file with --token-file, ` +
        "or from the hub's data folder with --data.",
    );
  }
  const only = otherName(thrown);
  if (only === null) return thrown.code === 'forbidden' ? thrown : invalidTokenError(url, name, thrown);
  return new Refusal(
    `the token speaks for "${only}" alone, and this server was started as "${name}". Tell your user: leave --name out, or say --name ${only}, ` +
      `or give a token for ${name} ("parley token create --name ${name}").`,
  );
}

/** The hub does not tell a name that nobody has from a token that is wrong: whoever set this up has to look at the token. */
export function invalidTokenError(url: string, name: string, cause: unknown): WireError {
  const message = `the token of this server, as "${name}" at ${url}, is wrong, or no longer holds`;
  return new WireError('unauthenticated', message, { name }, { cause });
}
