/** What a gate asks of files and verification: all that fails, the gravest first. */

import type { GateConfig } from '../config/config.ts';
import { canonicalPath } from '../paths.ts';
import { own } from '../record.ts';
import { SEMANTICS } from './semantics/semantics.ts';
import { type ReadFiles, type Reason, reason } from './verdict.ts';

const PASSED = ['pass', 'attested_pass'];

export function failedPredicates(
  { requires_files, requires_verification_pass }: GateConfig,
  { files, verificationStatus }: { readonly files: ReadFiles; readonly verificationStatus: string | null },
): readonly Reason[] {
  const asked = (requires_files ?? []).map((path) => ({ path, text: files(path) }));
  const absent = asked.filter(({ text }) => text === null).map(({ path }) => path);
  const isUnproven = requires_verification_pass === true && !PASSED.includes(verificationStatus ?? '');
  return [
    ...(absent.length > 0 ? [reason('files_missing', { paths: absent })] : []),
    ...(isUnproven ? [reason('verification_not_passed', { status: verificationStatus })] : []),
    ...asked.flatMap(({ path, text }) => (text === null ? [] : meaningOf(path, text))),
  ];
}

function meaningOf(path: string, text: string): readonly Reason[] {
  const look = own(SEMANTICS, canonicalPath(path) ?? path);
  const found = look === undefined ? null : look(text);
  return found === null ? [] : [found];
}
