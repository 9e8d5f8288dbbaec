/** Looks at the declared repos, and at nothing beside them. It reads; what a repo's run is at is the repo's to write. */

import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AcceptedTurn, CoordinatorConfig, OwnerOf, RepoFacts, RepoState } from '../index.ts';
import { ownerByText, RUN_STATUSES } from '../index.ts';
import { isInside, realPlace } from '../../node/governed/coordinator/real-places.ts';

/** Where each declared repo is. */
export type RepoRoots = ReadonlyMap<string, string>;

export type FoundRepos =
  | { readonly ok: true; readonly roots: RepoRoots }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A repo is where its path says: one that is reached through a link is declared by where it really is. */
export async function findRepos(root: string, { repos }: CoordinatorConfig): Promise<FoundRepos> {
  const roots = new Map<string, string>();
  const problems: string[] = [];
  for (const [id, { path }] of Object.entries(repos)) {
    const declared = resolve(root, path);
    const real = await realPlace(declared);
    const isFolder = await stat(declared).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) problems.push(`repos.${id}.path: there is no folder ${declared}`);
    else if (real !== declared) problems.push(`repos.${id}.path: a link leads to ${real}; declare that place`);
    else if (real === root) problems.push(`repos.${id}.path: the coordinator's own folder cannot be one of its repos`);
    else roots.set(id, real);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, roots };
}

export async function readRepos(roots: RepoRoots): Promise<Readonly<Record<string, RepoFacts>>> {
  const facts: Record<string, RepoFacts> = {};
  for (const [id, root] of roots) {
    const state = stateOf(await readInside(root, '.agentxchain/state.json'));
    const accepted = turnsOf(await readInside(root, '.agentxchain/history.jsonl'));
    facts[id] = { state, accepted };
  }
  return facts;
}

/** Larger than any state or history that is one. */
const MOST_BYTES = 64 * 1024 * 1024;

/** null = it is not there, or a link leads out of the repo. */
async function readInside(root: string, path: string): Promise<string | null> {
  const place = await realPlace(join(root, path));
  if (place === null || !isInside(root, place)) return null;
  try {
    const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return (await handle.stat()).size > MOST_BYTES ? null : await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    // What cannot be read is not known; the gates say that it is missing.
    return null;
  }
}

function stateOf(text: string | null): RepoState | null {
  const state = text === null ? null : parsed(text);
  if (state === null || !RUN_STATUSES.some((status) => status === state.status)) return null;
  if (state.run_id !== null && typeof state.run_id !== 'string') return null;
  const { active_turns = {} } = state;
  if (typeof active_turns !== 'object' || active_turns === null) return null;
  // The members that are read were looked at just now; the gates only ask whether something is pending.
  return { ...state, active_turns } as unknown as RepoState;
}

/** A last line without an end is being written. */
function turnsOf(text: string | null): readonly AcceptedTurn[] {
  return (text ?? '')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const entry = parsed(line);
      return entry !== null && typeof entry.turn_id === 'string' ? [entry as unknown as AcceptedTurn] : [];
    });
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/** By text, and by where links really lead: a file is the repo's only if both say so. */
export async function ownersOnDisk(
  config: CoordinatorConfig,
  roots: RepoRoots,
  repoId: string,
  paths: readonly string[],
): Promise<OwnerOf> {
  const byText = ownerByText(config);
  const found = new Map<string, string | null>();
  const root = roots.get(repoId);
  for (const path of paths) {
    const plain = path.trim().normalize('NFC').replaceAll('\\', '/');
    const place = root === undefined ? null : await realPlace(`${root}/${plain}`);
    found.set(path, place === null ? null : innermost(roots, place));
  }
  return (repo, path) => {
    const said = byText(repo, path);
    return said === repo ? (found.get(path) ?? null) : said;
  };
}

function innermost(roots: RepoRoots, place: string): string | null {
  const around = [...roots].filter(([, root]) => isInside(root, place));
  return around.sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null;
}
