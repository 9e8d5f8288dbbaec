/** Issues, checks and revokes the tokens of this hub. Stores only the digest of each secret. */

import { refuse } from '../../core/decisions/decision.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { durationMs, isoFromMs, msFromIso } from '../../core/lib/time.ts';
import type { Secrets } from '../../core/ports/platform.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import { parseToken, tokenText } from '../../core/records/access/token-schema.ts';
import {
  type NewToken,
  TOKEN_CREDENTIAL,
  type TokenClaim,
  type TokenRecord,
  toCredential,
} from '../../core/records/access/tokens.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Ground } from '../log/ground.ts';
import { HubLog, type HubLogState } from '../log/hub-log.ts';

interface TokensNeeds extends Ground {
  readonly bindings: Pick<Bindings, 'endUnproven'>;
}

const TOKENS_LOG = 'tokens';

const MAX_TOKENS = 1_000;

type KeptToken = Omit<TokenRecord, 'last_used_at'> & { readonly digest: string };

interface TokenLogState extends HubLogState {
  readonly byId: ReadonlyMap<string, KeptToken>;
}

export class Tokens {
  private readonly needs: TokensNeeds;
  private readonly secrets: Secrets;
  private readonly book: HubLog<TokenLogState>;
  /** In memory only: not worth a write for each use. */
  private readonly lastUsed = new Map<string, number>();

  constructor(needs: TokensNeeds, secrets: Secrets) {
    this.needs = needs;
    this.secrets = secrets;
    this.book = new HubLog<TokenLogState>(needs, {
      logId: TOKENS_LOG,
      what: 'the tokens',
      empty: { seq: 0, envelope_id: null, byId: new Map() },
      fold: foldTokens,
      onDurable: (entry) => this.announce(entry),
    });
  }

  start(): Promise<void> {
    return this.book.start();
  }

  create(claim: TokenClaim, created_by: string | null): Promise<NewToken> {
    const { ids, clock } = this.needs;
    const secret = this.secrets.make();
    const token_id = ids.hex32().slice(0, 16);
    return this.book.admit((book) => {
      if (book.byId.size >= MAX_TOKENS) return refuse(tooManyTokensError());
      const now = clock.now();
      const ttlMs = claim.ttl === undefined ? 0 : durationMs(claim.ttl, 'params.ttl');
      const kept: KeptToken = {
        token_id,
        label: claim.label ?? null,
        name: claim.name ?? null,
        grants: [...new Set(claim.grants ?? [])].sort(),
        created_at: isoFromMs(now),
        created_by,
        expires_at: ttlMs === 0 ? null : isoFromMs(now + ttlMs),
        digest: this.secrets.digest(secret),
      };
      // A token record is JSON.
      return this.book.write(book, 'token.created', kept as unknown as JsonObject, () => ({
        ...shown(kept, null),
        token: tokenText(token_id, secret),
      }));
    });
  }

  /** Tokens whose id follows `after`, sorted by id. */
  *list(after: string): Generator<TokenRecord, void, undefined> {
    const all = [...this.book.durable.byId.values()].filter(({ token_id }) => token_id > after);
    for (const kept of all.sort((a, b) => (a.token_id < b.token_id ? -1 : 1))) yield this.record(kept);
  }

  get(tokenId: string): TokenRecord | null {
    const kept = this.book.durable.byId.get(tokenId);
    return kept === undefined ? null : this.record(kept);
  }

  /** Revokes a token. Its bindings end once the revocation is durable, before the answer. */
  revoke(token_id: string): Promise<{ readonly token_id: string }> {
    return this.book.admit((book) => {
      if (!book.byId.has(token_id)) return refuse(new WireError('not_found', `no token ${token_id}`));
      return this.book.write(book, 'token.revoked', { token_id }, () => ({ token_id }));
    });
  }

  judge(token: unknown): Credential | null {
    const parts = parseToken(token);
    const kept = parts === null ? undefined : this.book.durable.byId.get(parts.tokenId);
    if (parts === null || kept === undefined) return null;
    if (!this.secrets.same(this.secrets.digest(parts.secret), kept.digest)) return null;
    const now = this.needs.clock.now();
    const expiresMs = kept.expires_at === null ? null : msFromIso(kept.expires_at);
    if (expiresMs !== null && expiresMs <= now) return null;
    this.lastUsed.set(kept.token_id, now);
    return toCredential(this.record(kept), expiresMs);
  }

  /** True for a credential of a token that was revoked. */
  isRevoked({ id }: Credential): boolean {
    return id.startsWith(TOKEN_CREDENTIAL) && !this.book.durable.byId.has(id.slice(TOKEN_CREDENTIAL.length));
  }

  private record(kept: KeptToken): TokenRecord {
    const used = this.lastUsed.get(kept.token_id);
    return shown(kept, used === undefined ? null : isoFromMs(used));
  }

  private announce({ envelope: { event_type, event_data } }: Entry): void {
    if (event_type !== 'token.revoked') return;
    const token_id = String(event_data.token_id);
    this.lastUsed.delete(token_id);
    this.needs.bindings.endUnproven(({ id }) => id === `${TOKEN_CREDENTIAL}${token_id}`);
  }
}

function foldTokens(book: TokenLogState, { envelope: { event_type, event_data } }: Entry): TokenLogState {
  const byId = new Map(book.byId);
  // Written by `create`.
  if (event_type === 'token.created') byId.set(String(event_data.token_id), event_data as unknown as KeptToken);
  if (event_type === 'token.revoked') byId.delete(String(event_data.token_id));
  return { ...book, byId };
}

function shown({ digest: _, ...rest }: KeptToken, last_used_at: string | null): TokenRecord {
  return { ...rest, last_used_at };
}

function tooManyTokensError(): WireError {
  return new WireError('too_large', `this hub has ${MAX_TOKENS} tokens, the maximum; revoke unused ones`);
}
