/** What `parley mcp install` was asked: the tool, where its file is, and the words its entry shall start. */

import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Asked } from '../commands/command.ts';
import type { Io } from '../commands/io.ts';
import { wrongValue } from '../commands/trouble.ts';
import { dataFolder, hubUrl } from '../commands/where.ts';
import { operatorTokenFile } from '../operator-token.ts';
import { ownCommand, serverWords } from './parley-words.ts';
import type { Places, Scope, Tool } from './tools.ts';

export interface Request {
  readonly tool: Tool;
  readonly scope: Scope;
  readonly key: string;
  readonly file: string;
  readonly words: readonly string[];
  /** A secret that goes into a file of its own, which the words name. */
  readonly secret: { readonly file: string; readonly token: string } | null;
  /** Nothing was found that proves who asks. */
  readonly isUnproven: boolean;
}

/** A name that is a bare key in TOML, and a server's name for every tool. */
const KEY = /^[A-Za-z0-9_-]{1,64}$/;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export async function requestOf(tool: Tool, asked: Asked, io: Pick<Io, 'env'>, places: Places): Promise<Request> {
  const { values } = asked;
  // Checked against the list by the parser.
  const scope = (values.scope ?? 'user') as Scope;
  const key = values.entry ?? 'parley';
  if (!KEY.test(key)) throw wrongValue('--entry', 'a name of A-Z a-z 0-9 _ - (1 to 64 characters)', key);
  const name = values.name ?? (io.env.PARLEY_NAME || tool.name);
  if (!NAME.test(name) || name === 'hub') {
    throw wrongValue('--name', 'a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)', name);
  }
  const proof = await proofOf(asked, io, secretFile(tool, scope, key, places));
  const isUrlGiven = values.url !== undefined || Boolean(io.env.PARLEY_URL);
  const ca = values.ca ?? (io.env.PARLEY_CA || undefined);
  const words = serverWords(await ownCommand(places.script, io.env.PATH ?? ''), {
    name,
    url: isUrlGiven ? hubUrl(asked, io) : undefined,
    ca: ca === undefined ? undefined : resolve(ca),
    ...proof.settings,
  });
  return {
    tool,
    scope,
    key,
    file: tool.file(scope, places),
    words,
    secret: proof.secret,
    isUnproven: proof.isUnproven,
  };
}

/** Where the token of an entry is kept: one file for each entry, so that it goes when the entry goes. */
export function secretFile({ name }: Tool, scope: Scope, key: string, { home, project, env }: Places): string {
  const of = createHash('sha256').update(project).digest('hex').slice(0, 12);
  const where = scope === 'user' ? 'user' : `project-${of}`;
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'parley', 'mcp', `${name}.${key}.${where}.token`);
}

async function proofOf(asked: Asked, io: Pick<Io, 'env'>, file: string) {
  const { values } = asked;
  const none = { tokenFile: undefined, data: undefined };
  const token = values.token ?? (io.env.PARLEY_TOKEN || undefined);
  if (token !== undefined) {
    return { settings: { ...none, tokenFile: file }, secret: { file, token }, isUnproven: false } as const;
  }
  const given = values['token-file'];
  if (given !== undefined) {
    return { settings: { ...none, tokenFile: resolve(given) }, secret: null, isUnproven: false } as const;
  }
  const data = resolve(dataFolder(asked, io));
  const isThere = await access(operatorTokenFile(data)).then(
    () => true,
    () => false,
  );
  const isSaid = values.data !== undefined || Boolean(io.env.PARLEY_DATA);
  const settings = { ...none, data: isThere || isSaid ? data : undefined };
  return { settings, secret: null, isUnproven: !isThere } as const;
}
