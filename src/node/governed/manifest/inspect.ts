/** What a manifest says, read from the disk. */

import { type DispatchManifest, MANIFEST_NAME } from '../../../governed/manifest/manifest.ts';
import { verifyManifest } from './verify.ts';

export interface Inspected {
  readonly manifest: DispatchManifest;
  readonly file_paths: readonly string[];
  /** It cannot hold its own digest. */
  readonly manifest_contains_self: boolean;
}

/** null = there is none that could be read. */
export async function inspectManifest(root: string, turnId: string): Promise<Inspected | null> {
  const { manifest } = await verifyManifest(root, { turnId });
  if (manifest === null) return null;
  const file_paths = manifest.files.map(({ path }) => path);
  return { manifest, file_paths, manifest_contains_self: file_paths.includes(MANIFEST_NAME) };
}
