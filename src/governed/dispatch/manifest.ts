/** Writes the manifest of a dispatch bundle when it is sealed; verifies and inspects it later. */

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { asText, writeFileAtomic } from '../../system/atomic-file.ts';
import {
  type BundleIdentity,
  compareManifest,
  createManifest,
  type DispatchManifest,
  fault,
  MANIFEST_NAME,
  type ManifestFault,
  type ObservedFile,
  readManifest,
} from '../engine/dispatch/manifest.ts';
import { bundleFolder } from '../engine/dispatch/paths.ts';
import { readInParts, readRegularBytes } from '../files/read-text.ts';
import {
  checkTurnId,
  type FileFailure,
  FileRefusal,
  resolveInside,
  statOrNull,
  toFailure,
} from '../files/safe-path.ts';

export interface SealResult {
  readonly ok: true;
  readonly manifest: DispatchManifest;
  /** Digest of the manifest file. Store it elsewhere, to detect an edit of both a file and the manifest. */
  readonly digest: string;
}

export function finaliseManifest(
  root: string,
  identity: BundleIdentity,
  now: string,
): Promise<SealResult | FileFailure> {
  return toFailure(async () => {
    checkTurnId(identity.turn_id);
    const folder = await resolveInside(root, bundleFolder(identity.turn_id));
    const observed = await observe(folder);
    if (observed === null) throw new FileRefusal('bundle_missing', `${folder}: there is no dispatch bundle to seal`);
    const files = observed.flatMap((file) => {
      if (file.kind === 'file') return [file];
      throw new FileRefusal('unsafe_path', `${file.path}: a bundle is made of plain files`);
    });
    const manifest = createManifest(identity, files, now);
    if (manifest.files.length === 0)
      throw new FileRefusal('bundle_empty', `${folder}: the bundle has no files to seal`);
    const text = asText(manifest);
    await writeFileAtomic(`${folder}/${MANIFEST_NAME}`, text);
    return { ok: true, manifest, digest: createHash('sha256').update(text).digest('hex') };
  });
}

export interface VerifyInput {
  readonly turnId: string;
  /** Known members of the expected identity. */
  readonly identity?: Partial<BundleIdentity>;
  /** Digest that sealing returned, if known. */
  readonly digest?: string | undefined;
}

export type Verified =
  | { readonly ok: true; readonly manifest: DispatchManifest; readonly errors: readonly [] }
  | { readonly ok: false; readonly manifest: DispatchManifest | null; readonly errors: readonly ManifestFault[] };

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

export async function verifyManifest(root: string, given: VerifyInput): Promise<Verified> {
  const found = await toFailure(() => verified(root, given));
  return 'error_code' in found ? broken('invalid_manifest', found.error) : found;
}

async function verified(root: string, { turnId, identity, digest }: VerifyInput): Promise<Verified> {
  checkTurnId(turnId);
  const folder = await resolveInside(root, bundleFolder(turnId));
  const place = `${folder}/${MANIFEST_NAME}`;
  const found = await statOrNull(place);
  if (found === null) return broken('missing_manifest', 'not found: the bundle was not sealed, or it was removed');
  if (!found.isFile()) return broken('invalid_manifest', 'expected a plain file');
  const bytes = await readRegularBytes(place, MAX_MANIFEST_BYTES);
  const manifest = readManifest(bytes.toString('utf8'));
  if (typeof manifest === 'string') return broken('invalid_manifest', manifest);
  const errors = [...sealFaults(bytes, digest), ...compareManifest(manifest, (await observe(folder)) ?? [], identity)];
  return errors.length === 0 ? { ok: true, manifest, errors: [] } : { ok: false, manifest, errors };
}

function sealFaults(bytes: Buffer, digest: string | undefined): readonly ManifestFault[] {
  if (digest === undefined) return [];
  const now = createHash('sha256').update(bytes).digest('hex');
  if (now === digest) return [];
  return [fault('digest_mismatch', MANIFEST_NAME, `was sealed with sha256 ${digest}, and has ${now}`)];
}

function broken(type: 'missing_manifest' | 'invalid_manifest', problem: string): Verified {
  return { ok: false, manifest: null, errors: [fault(type, MANIFEST_NAME, problem)] };
}

export interface ManifestInspection {
  readonly manifest: DispatchManifest;
  readonly file_paths: readonly string[];
  /** Must be false: a manifest cannot hold its own digest. */
  readonly manifest_contains_self: boolean;
}

/** Returns null if there is no readable manifest. */
export async function inspectManifest(root: string, turnId: string): Promise<ManifestInspection | null> {
  const { manifest } = await verifyManifest(root, { turnId });
  if (manifest === null) return null;
  const file_paths = manifest.files.map(({ path }) => path);
  return { manifest, file_paths, manifest_contains_self: file_paths.includes(MANIFEST_NAME) };
}

export interface SealPolicy {
  /** Refuse unsealed bundles. */
  readonly verifyManifest?: boolean;
  readonly skipManifestVerification?: boolean;
}

export async function checkSeal(
  root: string,
  given: VerifyInput,
  policy: SealPolicy = {},
): Promise<Pick<Verified, 'ok' | 'errors'>> {
  if (policy.skipManifestVerification === true) return { ok: true, errors: [] };
  const { ok, errors } = await verifyManifest(root, given);
  // A known digest proves that the bundle was sealed, so a missing manifest is an error.
  const mayBeUnsealed = policy.verifyManifest !== true && given.digest === undefined;
  if (mayBeUnsealed && errors[0]?.type === 'missing_manifest') return { ok: true, errors: [] };
  return { ok, errors };
}

/** Returns null if the folder does not exist. */
export async function observe(folder: string): Promise<readonly ObservedFile[] | null> {
  try {
    return await observeBelow(folder, '');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw thrown;
  }
}

async function observeBelow(folder: string, prefix: string): Promise<readonly ObservedFile[]> {
  const found: ObservedFile[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${prefix}${entry.name}`;
    const place = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await observeBelow(place, `${path}/`)));
    else if (entry.isSymbolicLink()) found.push({ kind: 'symlink', path });
    else if (entry.isFile()) found.push({ kind: 'file', path, ...(await digestOfFile(place)) });
    else found.push({ kind: 'other', path });
  }
  return found;
}

async function digestOfFile(path: string): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash('sha256');
  const size = await readInParts(path, (part) => hash.update(part));
  return { sha256: hash.digest('hex'), size };
}
