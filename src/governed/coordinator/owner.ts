/** Whose file a turn has changed. A turn of one repo writes into that repo and nowhere else. */

import { own } from '../engine/lib/unknown-record.ts';
import type { CoordinatorConfig } from '../engine/coordinator/config.ts';
import { isWithin, placeOf } from './places.ts';

/** The repo a path of a repo's turn leads to; null = to none of them. */
export type OwnerOf = (repoId: string, path: string) => string | null;

/** By the text of the paths alone: the innermost declared repo that the place is in. Links are seen only by who can look. */
export function ownerByText({ repos }: Pick<CoordinatorConfig, 'repos'>): OwnerOf {
  const roots = Object.entries(repos).flatMap(([id, { path }]) => {
    const place = placeOf('.', path);
    return place === null ? [] : [{ id, place }];
  });
  return (repoId, path) => {
    const place = placeOf(own(repos, repoId)?.path ?? '.', path);
    if (place === null) return null;
    const around = roots.filter((root) => isWithin(root.place, place));
    return around.sort((a, b) => b.place.length - a.place.length)[0]?.id ?? null;
  };
}
