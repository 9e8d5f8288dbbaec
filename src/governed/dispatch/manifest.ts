/** The manifest of a dispatch bundle on disk: finalised when the bundle is sealed, verified and inspected later. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
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
  /** Of the manifest's own bytes: to be kept elsewhere, so that who edits files and manifest alike is found. */
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
    if (manifest.files.length === 0) throw new FileRefusal('bundle_empty', `${folder}: an empty bundle is not sealed`);
    const text = asText(manifest);
    await writeFileAtomic(`${folder}/${MANIFEST_NAME}`, text);
    return { ok: true, manifest, digest: createHash('sha256').update(text).digest('hex') };
  });
}

export interface VerifyInput {
  readonly turnId: string;
  /** Whose bundle it should be, as far as it is known. */
  readonly identity?: Partial<BundleIdentity>;
  /** What sealing it answered. */
  readonly digest?: string | undefined;
}

export type Verified =
  | { readonly ok: true; readonly manifest: DispatchManifest; readonly errors: readonly [] }
  | { readonly ok: false; readonly manifest: DispatchManifest | null; readonly errors: readonly ManifestFault[] };

/** Files may be named at length here; more than this is no manifest. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

export async function verifyManifest(root: string, given: VerifyInput): Promise<Verified> {
  const found = await toFailure(() => verified(root, given));
  if (!isNotDone(found)) return found;
  return broken('invalid_manifest', found.error);
}

async function verified(root: string, { turnId, identity, digest }: VerifyInput): Promise<Verified> {
  checkTurnId(turnId);
  const folder = await resolveInside(root, bundleFolder(turnId));
  const bytes = await manifestBytes(`${folder}/${MANIFEST_NAME}`);
  if (bytes === null) return broken('missing_manifest', 'there is none: the bundle was not sealed, or it was removed');
  if (typeof bytes === 'string') return broken('invalid_manifest', bytes);
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

/** null = there is none; a text says why it cannot be one. */
async function manifestBytes(path: string): Promise<Buffer | string | null> {
  const found = await statOrNull(path);
  if (found === null) return null;
  if (!found.isFile()) return 'expected a plain file';
  if (found.size > MAX_MANIFEST_BYTES) return `expected at most ${MAX_MANIFEST_BYTES} bytes, got ${found.size}`;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function broken(type: 'missing_manifest' | 'invalid_manifest', problem: string): Verified {
  return { ok: false, manifest: null, errors: [fault(type, MANIFEST_NAME, problem)] };
}

function isNotDone(found: Verified | FileFailure): found is FileFailure {
  return 'error_code' in found;
}

export interface ManifestInspection {
  readonly manifest: DispatchManifest;
  readonly file_paths: readonly string[];
  /** It cannot hold its own digest. */
  readonly manifest_contains_self: boolean;
}

/** null = there is none that could be read. */
export async function inspectManifest(root: string, turnId: string): Promise<ManifestInspection | null> {
  const { manifest } = await verifyManifest(root, { turnId });
  if (manifest === null) return null;
  const file_paths = manifest.files.map(({ path }) => path);
  return { manifest, file_paths, manifest_contains_self: file_paths.includes(MANIFEST_NAME) };
}

export interface SealPolicy {
  /** Only what is sealed goes out. */
  readonly verifyManifest?: boolean;
  /** Nobody looks. */
  readonly skipManifestVerification?: boolean;
}

export async function checkSeal(
  root: string,
  given: VerifyInput,
  policy: SealPolicy = {},
): Promise<Pick<Verified, 'ok' | 'errors'>> {
  if (policy.skipManifestVerification === true) return { ok: true, errors: [] };
  const { ok, errors } = await verifyManifest(root, given);
  // A seal that is known of and gone was taken away.
  const mayBeUnsealed = policy.verifyManifest !== true && given.digest === undefined;
  if (mayBeUnsealed && errors[0]?.type === 'missing_manifest') return { ok: true, errors: [] };
  return { ok, errors };
}

/** null = there is no such folder. */
export async function observe(folder: string): Promise<readonly ObservedFile[] | null> {
  try {
    return await observeBelow(folder, '');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT' || (thrown as NodeJS.ErrnoException).code === 'ENOTDIR') {
      return null;
    }
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

/** In pieces: a file may be larger than what is good for memory. */
async function digestOfFile(path: string): Promise<{ readonly sha256: string; readonly size: number }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const part of file.createReadStream({ autoClose: false })) {
      hash.update(part);
      size += part.length;
    }
    return { sha256: hash.digest('hex'), size };
  } finally {
    await file.close();
  }
}
