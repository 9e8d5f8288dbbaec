/** Seals a dispatch bundle: from here on every file of it is known. */

import { createHash } from 'node:crypto';
import { bundleFolder } from '../../../governed/engine/dispatch/paths.ts';
import {
  type BundleIdentity,
  type DispatchManifest,
  MANIFEST_NAME,
  manifestOf,
} from '../../../governed/manifest/manifest.ts';
import { FileRefusal, type NotDone, orRefusal } from '../refusal.ts';
import { checkTurnId, placeIn } from '../safe-place.ts';
import { asText, writeWhole } from '../whole-file.ts';
import { observe } from './observe.ts';

export interface Sealed {
  readonly ok: true;
  readonly manifest: DispatchManifest;
  /** Of the manifest's own bytes: to be kept elsewhere, so that who edits files and manifest alike is found. */
  readonly digest: string;
}

export function finaliseManifest(root: string, identity: BundleIdentity, now: string): Promise<Sealed | NotDone> {
  return orRefusal(async () => {
    checkTurnId(identity.turn_id);
    const folder = await placeIn(root, bundleFolder(identity.turn_id));
    const observed = await observe(folder);
    if (observed === null) throw new FileRefusal('bundle_missing', `${folder}: there is no dispatch bundle to seal`);
    const files = observed.flatMap((file) => {
      if (file.kind === 'file') return [file];
      throw new FileRefusal('unsafe_path', `${file.path}: a bundle is made of plain files`);
    });
    const manifest = manifestOf(identity, files, now);
    if (manifest.files.length === 0) throw new FileRefusal('bundle_empty', `${folder}: an empty bundle is not sealed`);
    const text = asText(manifest);
    await writeWhole(`${folder}/${MANIFEST_NAME}`, text);
    return { ok: true, manifest, digest: createHash('sha256').update(text).digest('hex') };
  });
}
