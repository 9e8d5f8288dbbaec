/** A manifest against the files that are there: everything that differs. */

import { canonicalPath } from '../lib/project-paths.ts';
import { repeatedIn } from '../lib/unknown-record.ts';
import { type BundleIdentity, type DispatchManifest, MANIFEST_NAME, type ManifestFile } from '../../manifest/manifest.ts';

/** What was found under a name. Only plain files have content that can be compared. */
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
