/** `parley token`: creates, lists and revokes tokens. */

import type { AgentClient } from '../../client/agent-client.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { GRANTS, type Grant } from '../../core/records/access/grants.ts';
import type { TokenClaim, TokenRecord } from '../../core/records/access/tokens.ts';
import { withHub } from '../connecting/connect.ts';
import { formatRelative, printTable, type Table } from '../terminal/columns.ts';
import { type Command, type CommandArgs, inGroup } from '../terminal/command.ts';
import { invalidValueError, notFoundError, usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export const token: Command = {
  name: 'token',
  summary: 'Create, list and revoke tokens',
  details: 'A secret is shown once, when it is created: the hub keeps only a digest. Requires the enrol grant.',
  args: [
    { name: 'action', help: 'create, list or revoke', values: ['create', 'list', 'revoke'] },
    { name: 'id', help: 'revoke: id of the token, not its secret', isOptional: true },
  ],
  options: inGroup('Options of create', [
    {
      name: 'name',
      value: 'name',
      help: 'Restrict the token to this name (default: all names registered with the token)',
    },
    { name: 'label', value: 'text', help: 'Description of the token' },
    { name: 'grant', value: 'grant', help: 'Grant to include', values: Object.keys(GRANTS), isMany: true },
    { name: 'ttl', value: 'time', help: 'Lifetime, such as 30d (default: until it is revoked)' },
  ]),
  on: 'hub',
  examples: [
    ['Create a token for bob', 'parley token create --name bob --ttl 30d'],
    ['List all tokens', 'parley token list'],
    ['Revoke a token', 'parley token revoke 0123456789abcdef'],
  ],
  json: 'create: the token with its secret, {"token_id", "token", "name", "grants", …}. list: one line per token. revoke: {"token_id"}.',
  run(args, io) {
    const { action, id } = args.positionals;
    check(args);
    return withHub(args, io, 'reader', async (client) => {
      if (action === 'create') await create(client, args, io);
      else if (action === 'list') await printTable(io, listedTokens(client), TOKEN_TABLE);
      else await revoke(client, id ?? '', io);
      return EXIT.done;
    });
  },
};

function check({ positionals: { action, id } }: CommandArgs): void {
  const help = 'Run "parley token --help" for details.';
  if (action !== 'revoke' && id !== undefined) {
    throw usageError('extra_argument', `"token ${action}" takes no <id>, got "${id}"`, help);
  }
  if (action !== 'revoke') return;
  if (id === undefined) {
    throw usageError('missing_argument', '"token revoke" requires <id>', '"parley token list" lists the ids.');
  }
  const [, own] = /^parley_([0-9a-f]{16})_/.exec(id) ?? [];
  if (!/^[0-9a-f]{16}$/.test(id)) {
    const hint = own === undefined ? '"parley token list" lists the ids.' : `That is a secret; its id is ${own}.`;
    const received = own === undefined ? id : 'a secret';
    throw invalidValueError('<id>', 'the id of a token: 16 lower-case hex digits', received, hint);
  }
}

async function create(client: AgentClient, { values, lists }: CommandArgs, io: Io): Promise<void> {
  const { name, label, ttl } = values;
  const grants = lists.grant as readonly Grant[] | undefined;
  const claim: TokenClaim = { name, label, ttl, grants };
  const made = await client.call('create_token', claim);
  io.put(made);
  io.say(made.token);
  io.note(`token ${made.token_id}${name === undefined ? '' : ` for ${name}`}; the secret is not shown again`);
}

async function* listedTokens(client: AgentClient): AsyncGenerator<TokenRecord> {
  for (let after: string | null | undefined; after !== null; ) {
    const page: Result<'list_tokens'> = await client.call('list_tokens', { after });
    yield* page.tokens;
    after = page.next;
  }
}

const TOKEN_TABLE: Table<TokenRecord> = {
  heads: ['id', 'name', 'grants', 'created', 'expires', 'label'],
  row: ({ token_id, name, grants, created_at, expires_at, label }) => [
    token_id,
    name ?? '(any it registers)',
    grants.join(','),
    formatRelative(created_at, Date.now()),
    expires_at === null ? 'never' : formatRelative(expires_at, Date.now()),
    label ?? '',
  ],
};

async function revoke(client: AgentClient, token_id: string, io: Io): Promise<void> {
  const revoked = await client.call('revoke_token', { token_id }).catch((thrown: unknown) => {
    // The hub closes the connection before it answers when a client revokes its own token.
    if (client.state === 'closed') return { token_id };
    if (!(thrown instanceof WireError) || thrown.code !== 'not_found') throw thrown;
    throw notFoundError(thrown.code, thrown.message, '"parley token list" lists the ids.');
  });
  io.put(revoked);
  io.say(`${token_id} is revoked; its clients were disconnected`);
}
