/** Handles requests without a connection: each acts for one identity with the rights of its credential. */

import { toWireError, WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { OPERATIONS, type OperationName } from '../../core/protocol/operations/operations.ts';
import type { Authenticate, Credential } from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import { Binding, type Endpoint } from '../bindings/binding.ts';
import type { Presence } from '../bindings/bindings.ts';
import { Counter } from '../lib/counter.ts';
import type { Ground } from '../log/ground.ts';
import type { Caller, Operations } from '../operations/run-operation.ts';
import {
  credentialFrom,
  isStillValid,
  proofUnavailableError,
  resolveHello,
  verifyProof,
} from '../registry/handshake.ts';
import type { Registry } from '../registry/registry.ts';
import type { Tokens } from '../registry/tokens.ts';

/** A stranger has shown no credential and gets little time to send its parameters. */
export type AskerKind = 'known' | 'stranger';

export interface SingleRequest {
  readonly op: OperationName;
  /** Called after authentication, because the sender decides how large the parameters are. */
  readonly params: (asker: AskerKind) => Promise<unknown>;
  /** Name or id to act as; null to use the name of the credential. */
  readonly as: string | null;
  /** The proof offered, in the format of a hello; null if none. */
  readonly auth: JsonObject | null;
  readonly authenticate: Authenticate;
  unproven(): void;
}

/** Operations whose effect needs a connection. */
export const NEEDS_CONNECTION: ReadonlySet<OperationName> = new Set<OperationName>(['subscribe', 'unsubscribe']);

export interface SingleRequestsNeeds extends Pick<Ground, 'clock' | 'log' | 'limits' | 'meter'> {
  readonly presence: Presence;
  readonly registry: Registry;
  readonly tokens: Tokens | null;
  readonly operations: Operations;
}

export class SingleRequests {
  private readonly needs: SingleRequestsNeeds;
  private readonly open = new Counter<string>();

  constructor(needs: SingleRequestsNeeds) {
    this.needs = needs;
  }

  /** Runs the request; rejects only with wire errors. */
  async ask(request: SingleRequest): Promise<unknown> {
    const { meter, clock } = this.needs;
    const at = clock.monotonic();
    const result = await this.carryOut(request).catch((thrown: unknown) => {
      throw toWireError(thrown, request.op);
    });
    if (request.op === 'post') meter.ackMs.observe(clock.monotonic() - at);
    return result;
  }

  private async carryOut(request: SingleRequest): Promise<unknown> {
    const { op } = request;
    if (NEEDS_CONNECTION.has(op)) {
      throw new WireError('bad_frame', `${op} requires a connection; use a WebSocket instead of a single request`);
    }
    const credential = await this.credentialOf(request);
    const passport = this.askerOf(request, credential);
    const params = await request.params(credential === null ? 'stranger' : 'known');
    const { needs } = this;
    if (passport !== null) needs.presence.left(passport.agent_id);
    const binding =
      passport === null
        ? null
        : new Binding(
            passport,
            0,
            endpointOf(passport),
            credential,
            () => isStillValid(needs, credential) && !needs.registry.isGone(passport.agent_id),
          );
    const caller: Caller = { binding, proof: credential, bind() {} };
    const result = await this.counted(credential?.id ?? '', () => needs.operations.run(caller, op, params));
    if (!isStillValid(needs, credential)) throw ranOut();
    return result;
  }

  private async credentialOf({ auth, as, authenticate, unproven }: SingleRequest): Promise<Credential | null> {
    const name = as ?? 'the client';
    const proof = await verifyProof(this.needs, { authenticate }, { auth: auth ?? { scheme: 'none' }, name });
    const credential = credentialFrom(proof);
    if (credential !== null && isStillValid(this.needs, credential)) return credential;
    if (auth === null) return null;
    const later = proofUnavailableError(proof, name);
    if (later !== null) throw later;
    unproven();
    throw new WireError('unauthenticated', 'the credential is wrong, or no longer valid');
  }

  /** The identity to act as; null if there is none and the operation is open to anyone. */
  private askerOf({ op, as }: SingleRequest, credential: Credential | null): Passport | null {
    const { registry } = this.needs;
    const isForAnyone = OPERATIONS[op].who === 'anyone';
    const called = as ?? credential?.name ?? null;
    if (called === null) {
      if (isForAnyone) return null;
      throw credential === null
        ? new WireError('unauthenticated', 'a credential is required: Authorization: Bearer <token>')
        : new WireError(
            'bad_frame',
            'as: this credential is not tied to one name; pass the name or agent id to act as',
            {
              field: 'as',
              expected: 'a name or agent id, in the header Parley-As or as ?as=',
            },
          );
    }
    const name = registry.find(called)?.passport.name ?? called;
    const greeted = resolveHello(this.needs, { name }, credential);
    if (greeted.kind === 'bind') return greeted.passport;
    // The name that the credential is for may not be registered yet.
    if (isForAnyone && as === null) return null;
    throw greeted.error;
  }

  private async counted<T>(id: string, work: () => Promise<T>): Promise<T> {
    const { maxOpenRequests } = this.needs.limits;
    if (this.open.get(id) >= maxOpenRequests) {
      const message = `at most ${maxOpenRequests} requests may be open with one credential`;
      throw new WireError('rate_limited', message, { retry_after_ms: 100 });
    }
    this.open.add(id);
    try {
      return await work();
    } finally {
      this.open.remove(id);
    }
  }
}

/** For a request whose credential ended while it ran: it gets no result. */
function ranOut(): WireError {
  return new WireError('unauthenticated', 'the credential ended while the request ran; it may have taken effect');
}

/** All requests of one identity share an endpoint id, so that waiting posts keep their order. */
function endpointOf({ agent_id }: Passport): Endpoint {
  return { endpointId: `single\n${agent_id}`, send() {}, isBackpressured: false, unbound() {} };
}
