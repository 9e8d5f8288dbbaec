/** Carries out what was asked: decides, shows it, asks, keeps what was, writes. */

import { rm } from 'node:fs/promises';
import { Trouble } from '../commands/trouble.ts';
import { type ConfigFile, deleteConfig, readConfig, writeConfig, writePrivate } from './config-file.ts';
import { BrokenConfig } from './config-format.ts';
import { removeEmptyFolders } from './empty-folders.ts';
import { isThere } from './kept-settings.ts';
import { isMadeFor, type Plan, planInstall, planUndo } from './plan.ts';
import type { Request } from './request.ts';
import { type ChangedLine, changedLines } from './show-change.ts';
import type { Places } from './tools.ts';

export interface Outcome {
  readonly tool: string;
  readonly scope: string;
  readonly entry: string;
  readonly file: string;
  readonly action: 'added' | 'changed' | 'removed' | 'restored' | 'deleted' | 'unchanged';
  /** Where what it was is kept; null = nowhere. */
  readonly backup: string | null;
  readonly token_file: string | null;
}

export interface Change {
  readonly outcome: Outcome;
  readonly lines: readonly ChangedLine[];
  /** Does it. Nothing has been written before. */
  carryOut(): Promise<void>;
}

export async function prepareInstall(request: Request): Promise<Change> {
  const { tool, key, words, secret } = request;
  const file = await readConfig(request.file);
  const plan = explained(request, () => planInstall(tool, key, words, file));
  // What is kept is what it was before anything of ours was in it; before a file that was made for it there was none.
  const isOlder = file.backup !== null || isMadeFor(tool, key, file);
  const isKept = plan.kind === 'write' && plan.act === 'changed' && isOlder;
  const isBackedUp = file.text !== null && !(isKept && file.backup === null);
  return {
    ...described(request, file, plan, { tokenFile: secret?.file ?? null, isBackedUp }),
    async carryOut() {
      if (secret !== null) await writePrivate(secret.file, `${secret.token}\n`);
      if (plan.kind === 'write') await writeConfig(file, plan.after, isKept, request.scope === 'user' ? 0o600 : 0o644);
    },
  };
}

/** `secretFile` is where the token of such an entry is kept, if it has one. Nobody else writes there, so it goes, whatever the entry names now. */
export async function prepareUndo(
  request: Omit<Request, 'words' | 'secret' | 'isUnproven'>,
  secretFile: string,
  places: Places,
): Promise<Change> {
  const { tool, key } = request;
  const file = await readConfig(request.file);
  const plan = explained(request, () => planUndo(tool, key, file));
  const isSecretThere = await isThere(secretFile);
  const isBackedUp = plan.kind === 'write' && plan.act === 'removed';
  return {
    ...described(request, file, plan, { tokenFile: isSecretThere ? secretFile : null, isBackedUp }),
    async carryOut() {
      if (plan.kind === 'write') await writeConfig(file, plan.after, !isBackedUp, 0o600);
      if (plan.kind === 'delete') {
        await deleteConfig(file);
        await removeEmptyFolders(file.path, places);
      }
      // It is what the file is again.
      if (plan.kind === 'write' && plan.act === 'restored') await rm(file.backupPath, { force: true });
      if (isSecretThere) {
        await rm(secretFile, { force: true });
        await removeEmptyFolders(secretFile, places);
      }
    },
  };
}

function described(
  { tool, scope, key, file: shown }: Pick<Request, 'tool' | 'scope' | 'key' | 'file'>,
  file: ConfigFile,
  plan: Plan,
  { tokenFile, isBackedUp }: { readonly tokenFile: string | null; readonly isBackedUp: boolean },
): Pick<Change, 'outcome' | 'lines'> {
  const action = plan.kind === 'nothing' ? 'unchanged' : plan.kind === 'delete' ? 'deleted' : plan.act;
  const after = plan.kind === 'write' ? plan.after : plan.kind === 'delete' ? '' : (file.text ?? '');
  const backup = plan.kind === 'write' && isBackedUp ? file.backupPath : null;
  return {
    outcome: { tool: tool.name, scope, entry: key, file: shown, action, backup, token_file: tokenFile },
    lines: plan.kind === 'nothing' ? [] : changedLines(file.text ?? '', after),
  };
}

/** A file that cannot be read or changed is named, with the place. */
function explained<T>({ file, tool }: Pick<Request, 'file' | 'tool'>, plan: () => T): T {
  try {
    return plan();
  } catch (thrown) {
    if (!(thrown instanceof BrokenConfig)) throw thrown;
    const place = thrown.line === null ? '' : `:${thrown.line}:${thrown.column}`;
    const hint = `Mend it first; "parley mcp install ${tool.name} --print" shows what to paste by hand.`;
    throw new Trouble('failed', 'broken_config', `${file}${place}: ${thrown.message}; nothing was written`, hint);
  }
}
