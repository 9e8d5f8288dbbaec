/** Finds and reads the declared repos, and nothing else. Links are followed to see where a path really leads. It never writes. */

import { constants } from 'node:fs';
import { lstat, open, readlink, stat } from 'node:fs/promises';
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
import { parseRecord } from '../engine/lib/unknown-record.ts';

/** Where each declared repo is. */
export type RepoRoots = ReadonlyMap<string, string>;

type FoundRepos =
  | { readonly ok: true; readonly roots: RepoRoots }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A repo is where its path says: one that is reached through a link is declared by where it really is. */
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

/** Larger than any state or history that is one. */
const MAX_BYTES = 64 * 1024 * 1024;

/** null = it is not there, or a link leads out of the repo. */
async function readInside(root: string, path: string): Promise<string | null> {
  const place = await resolveRealPath(join(root, path));
  if (place === null || !isInside(root, place)) return null;
  try {
    const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return (await handle.stat()).size > MAX_BYTES ? null : await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    // What cannot be read is not known; the gates say that it is missing.
    return null;
  }
}

function stateOf(text: string | null): RepoState | null {
  const state = text === null ? null : parseRecord(text);
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
      const entry = parseRecord(line);
      return entry !== null && typeof entry.turn_id === 'string' ? [entry as unknown as AcceptedTurn] : [];
    });
}

/** By text, and by where links really lead: a file is the repo's only if both say so. */
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

/** More links than this on one way are a circle. */
const MAX_LINKS = 40;

/** The place behind an absolute path; null = its links go round in circles. */
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

/** In the folder, or the folder itself. Both real. */
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

/** `a/..` stays as it is until somebody has looked where `a` leads. */
function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}
