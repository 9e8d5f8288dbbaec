/** What a dispatch bundle consists of, written down when it is sealed. */

import { parsedJson } from '../parsed-json.ts';
import { isFilled, isRecord } from '../engine/lib/unknown-record.ts';

export const MANIFEST_NAME = 'MANIFEST.json';
export const MANIFEST_VERSION = '1.0';

export interface ManifestFile {
  /** Relative to the bundle, in its canonical form. */
  readonly path: string;
  /** In hex. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** Whose bundle it is. */
export interface BundleIdentity {
  readonly run_id: string | null;
  readonly turn_id: string;
  readonly role: string;
}

export interface DispatchManifest extends BundleIdentity {
  readonly manifest_version: string;
  readonly finalized_at: string;
  /** Without the manifest itself, sorted by path. */
  readonly files: readonly ManifestFile[];
}

export function manifestOf(
  { run_id, turn_id, role }: BundleIdentity,
  files: readonly ManifestFile[],
  now: string,
): DispatchManifest {
  const sorted = files
    .filter(({ path }) => path !== MANIFEST_NAME)
    .map(({ path, sha256, size }) => ({ path, sha256, size }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return { manifest_version: MANIFEST_VERSION, run_id, turn_id, role, finalized_at: now, files: sorted };
}

/** A text says why it is none. Who it is for is a matter of comparing. */
export function readManifest(text: string): DispatchManifest | string {
  const given = parsedJson(text);
  if (!isRecord(given)) return `${MANIFEST_NAME}: expected a JSON object`;
  if (!isFilled(given.manifest_version)) return 'manifest_version: expected a text';
  if (given.manifest_version !== MANIFEST_VERSION) {
    return `manifest_version: expected "${MANIFEST_VERSION}", got ${JSON.stringify(given.manifest_version)}`;
  }
  if (!Array.isArray(given.files)) return 'files: expected a list';
  for (const [at, file] of given.files.entries()) {
    if (!isManifestFile(file)) return `files[${at}]: expected {path, sha256, size}`;
  }
  // Its list was looked at just now; the rest is compared with what is known, whatever it is.
  return given as unknown as DispatchManifest;
}

function isManifestFile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return isFilled(value.path) && typeof value.sha256 === 'string' && Number.isSafeInteger(value.size);
}
