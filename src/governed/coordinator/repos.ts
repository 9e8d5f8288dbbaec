/** Finds and reads the declared repos; never writes. Follows links only to find the real path. */

import { lstat, readlink, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import {
  type AcceptedTurn,
  type CoordinatorConfig,
  type OwnerOf,
  ownerByPath,
  type RepoFacts,
  type RepoState,
  RUN_STATUSES,
} from '../engine/index.ts';
import { isOneOf, parseRecord } from '../engine/lib/unknown-record.ts';
import { readRegularFile } from '../files/read-text.ts';

export type RepoRoots = ReadonlyMap<string, string>;

type FoundRepos =
  | { readonly ok: true; readonly roots: RepoRoots }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A repo must be declared by its real path, not through a link. */
export async function findRepos(root: string, { repos }: CoordinatorConfig): Promise<FoundRepos> {
  const roots = new Map<string, string>();
  const problems: string[] = [];
  for (const [id, { path }] of Object.entries(repos)) {
    const declared = resolve(root, path);
    const real = await resolveRealPath(declared);
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

const MAX_BYTES = 64 * 1024 * 1024;

/** Returns null if the file is absent or a link leads out of the repo. */
async function readInside(root: string, path: string): Promise<string | null> {
  const place = await resolveRealPath(join(root, path));
  if (place === null || !isInside(root, place)) return null;
  // An unreadable file counts as missing; the gates report it.
  return readRegularFile(place, MAX_BYTES).catch(() => null);
}

function stateOf(text: string | null): RepoState | null {
  const state = text === null ? null : parseRecord(text);
  if (state === null || !isOneOf(RUN_STATUSES, state.status)) return null;
  if (state.run_id !== null && typeof state.run_id !== 'string') return null;
  const { active_turns = {} } = state;
  if (typeof active_turns !== 'object' || active_turns === null) return null;
  // The members in use are checked; gates test only the presence of pending members.
  return { ...state, active_turns } as unknown as RepoState;
}

/** Skips the last line if it is incomplete. */
function turnsOf(text: string | null): readonly AcceptedTurn[] {
  return (text ?? '')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const entry = parseRecord(line);
      return entry !== null && typeof entry.turn_id === 'string' ? [entry as unknown as AcceptedTurn] : [];
    });
}

/** A file belongs to a repo only if both its declared path and its real path lie in that repo. */
export async function ownersOnDisk(
  config: CoordinatorConfig,
  roots: RepoRoots,
  repoId: string,
  paths: readonly string[],
): Promise<OwnerOf> {
  const byText = ownerByPath(config);
  const found = new Map<string, string | null>();
  const root = roots.get(repoId);
  for (const path of paths) {
    const plain = path.trim().normalize('NFC').replaceAll('\\', '/');
    const place = root === undefined ? null : await resolveRealPath(`${root}/${plain}`);
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

const MAX_LINKS = 40;

/** Resolves all links; null if there are more than MAX_LINKS, as in a cycle. */
export async function resolveRealPath(path: string): Promise<string | null> {
  const { root } = parse(path);
  const left = partsOf(path.slice(root.length));
  let place = root;
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '..') {
      place = dirname(place);
      continue;
    }
    const next = join(place, part);
    const target = await linkAt(next);
    if (target === null) {
      place = next;
      continue;
    }
    if (++links > MAX_LINKS) return null;
    const { root: top } = parse(target);
    if (top !== '') place = top;
    left.unshift(...partsOf(target.slice(top.length)));
  }
  return place;
}

/** Also true for the folder itself. Both arguments are real paths. */
function isInside(folder: string, place: string): boolean {
  const way = relative(folder, place);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function linkAt(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw thrown;
  }
}

/** Does not simplify `a/..`, because `a` may be a link. */
function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}
