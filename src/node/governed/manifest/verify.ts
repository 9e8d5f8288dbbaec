/** Is a sealed bundle still what was sealed? Everything that is wrong with it, not the first thing only. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { bundleFolder } from '../../../governed/engine/dispatch/paths.ts';
import { compareManifest, fault, type ManifestFault } from '../../../governed/engine/dispatch/manifest.ts';
import {
  type BundleIdentity,
  type DispatchManifest,
  MANIFEST_NAME,
  readManifest,
} from '../../../governed/manifest/manifest.ts';
import { type NotDone, orRefusal } from '../refusal.ts';
import { checkTurnId, lookAt, placeIn } from '../safe-place.ts';
import { observe } from './observe.ts';

export interface ToVerify {
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

export async function verifyManifest(root: string, given: ToVerify): Promise<Verified> {
  const found = await orRefusal(() => verified(root, given));
  if (!isNotDone(found)) return found;
  return broken('invalid_manifest', found.error);
}

async function verified(root: string, { turnId, identity, digest }: ToVerify): Promise<Verified> {
  checkTurnId(turnId);
  const folder = await placeIn(root, bundleFolder(turnId));
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
  const found = await lookAt(path);
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

function isNotDone(found: Verified | NotDone): found is NotDone {
  return 'error_code' in found;
}
