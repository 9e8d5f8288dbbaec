/** Defines the manifest of a sealed dispatch bundle, and finds differences from the files on disk. */

import { canonicalPath } from '../lib/project-paths.ts';
import { isNonEmptyText, isRecord, parseJson, repeatedIn } from '../lib/unknown-record.ts';

export const MANIFEST_NAME = 'MANIFEST.json';
const MANIFEST_VERSION = '1.0';

export interface ManifestFile {
  /** Canonical path, relative to the bundle. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

export interface BundleIdentity {
  readonly run_id: string | null;
  readonly turn_id: string;
  readonly role: string;
}

export interface DispatchManifest extends BundleIdentity {
  readonly manifest_version: string;
  readonly finalized_at: string;
  /** Sorted by path; excludes the manifest itself. */
  readonly files: readonly ManifestFile[];
}

export function createManifest(
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

/** Returns the error as a string if the manifest is invalid. Does not check the identity. */
export function readManifest(text: string): DispatchManifest | string {
  const given = parseJson(text);
  if (!isRecord(given)) return `${MANIFEST_NAME}: expected a JSON object`;
  if (!isNonEmptyText(given.manifest_version)) return 'manifest_version: expected a text';
  if (given.manifest_version !== MANIFEST_VERSION) {
    return `manifest_version: expected "${MANIFEST_VERSION}", got ${JSON.stringify(given.manifest_version)}`;
  }
  if (!Array.isArray(given.files)) return 'files: expected a list';
  for (const [at, file] of given.files.entries()) {
    if (!isManifestFile(file)) return `files[${at}]: expected {path, sha256, size}`;
  }
  // The files were checked above; compareManifest checks the rest.
  return given as unknown as DispatchManifest;
}

function isManifestFile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return isNonEmptyText(value.path) && typeof value.sha256 === 'string' && Number.isSafeInteger(value.size);
}

/** An entry found on disk. Only plain files have comparable content. */
export type ObservedFile =
  | (ManifestFile & { readonly kind: 'file' })
  | { readonly kind: 'symlink' | 'other'; readonly path: string };

export type ManifestFaultType =
  | 'missing_manifest'
  | 'invalid_manifest'
  | 'identity_mismatch'
  | 'unsafe_path'
  | 'duplicate_path'
  | 'missing_file'
  | 'size_mismatch'
  | 'digest_mismatch'
  | 'unexpected_file';

export interface ManifestFault {
  readonly type: ManifestFaultType;
  readonly path: string;
  readonly detail: string;
}

export function compareManifest(
  manifest: DispatchManifest,
  observed: readonly ObservedFile[],
  identity: Partial<BundleIdentity> = {},
): readonly ManifestFault[] {
  const found = new Map(observed.map((file) => [file.path, file]));
  const declared = new Set(manifest.files.map(({ path }) => path));
  return [
    ...identityFaults(manifest, identity),
    ...repeatedIn(manifest.files.map(({ path }) => path)).map((path) =>
      fault('duplicate_path', path, 'is declared more than once'),
    ),
    ...manifest.files.flatMap((file) => fileFaults(file, found.get(file.path))),
    ...observed
      .filter(({ path }) => path !== MANIFEST_NAME && !declared.has(path))
      .map(({ path, kind }) => fault('unexpected_file', path, `is not declared, and there is a ${wordFor(kind)}`)),
  ];
}

function identityFaults(manifest: DispatchManifest, identity: Partial<BundleIdentity>): readonly ManifestFault[] {
  return (['run_id', 'turn_id', 'role'] as const)
    .filter((name) => identity[name] !== undefined && identity[name] !== manifest[name])
    .map((name) => {
      const [expected, got] = [JSON.stringify(identity[name]), JSON.stringify(manifest[name]) ?? 'nothing'];
      return fault('identity_mismatch', MANIFEST_NAME, `${name}: expected ${expected}, got ${got}`);
    });
}

function fileFaults(file: ManifestFile, found: ObservedFile | undefined): readonly ManifestFault[] {
  const { path } = file;
  if (canonicalPath(path) !== path || path === MANIFEST_NAME) {
    return [fault('unsafe_path', path, 'expected the canonical path of another file of the bundle')];
  }
  if (found === undefined) return [fault('missing_file', path, 'is declared, and not there')];
  if (found.kind !== 'file') return [fault('unsafe_path', path, `expected a plain file, got a ${wordFor(found.kind)}`)];
  return [
    ...(found.size === file.size
      ? []
      : [fault('size_mismatch', path, `expected ${file.size} bytes, got ${found.size}`)]),
    ...(found.sha256 === file.sha256
      ? []
      : [fault('digest_mismatch', path, `expected sha256 ${file.sha256}, got ${found.sha256}`)]),
  ];
}

export function fault(type: ManifestFaultType, path: string, problem: string): ManifestFault {
  return { type, path, detail: `${path}: ${problem}` };
}

function wordFor(kind: ObservedFile['kind']): string {
  if (kind === 'symlink') return 'symbolic link';
  return kind === 'file' ? 'file' : 'thing that is no file';
}
