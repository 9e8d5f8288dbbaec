/** What came about in an attempt, kept beside the bundle and without secrets. */

import { getTurnStagingResultPath } from '../../index.ts';
import { redactSecrets } from '../../../participants/lib/redact-secrets.ts';
import { writeRuntimeFile } from '../../../node/governed/dispatch/runtime-file.ts';
import { readPlain } from '../../../node/governed/plain-file.ts';
import { placeIn } from '../../../node/governed/safe-place.ts';
import { MAX_RESULT_BYTES } from '../../staging/staged-result.ts';
import { asText } from '../../../node/governed/whole-file.ts';
import type { DispatchBundle } from './driver.ts';
import type { AdapterFailure } from './failure.ts';

type Kept = Pick<DispatchBundle, 'root' | 'turn_id' | 'attempt'>;

/** A log that cannot be written changes nothing of what came of the turn. */
export async function keepLog(
  bundle: Kept,
  name: string,
  text: string,
  secrets: readonly string[] = [],
): Promise<void> {
  const { root, turn_id, attempt } = bundle;
  await writeRuntimeFile(root, turn_id, `attempt-${attempt}/${name}`, withoutSecrets(text, secrets));
}

/** For inspection: the next attempt may write another result in its place. */
export async function keepFailure(bundle: Kept, failure: AdapterFailure): Promise<void> {
  await keepLog(bundle, 'adapter-error.json', asText(failure));
  const { root, turn_id, attempt } = bundle;
  const staged = await stagedText(root, turn_id);
  if (staged !== null) await writeRuntimeFile(root, turn_id, `attempt-${attempt}/staged-result.json`, staged);
}

/** null = nothing that could be kept. */
async function stagedText(root: string, turnId: string): Promise<string | null> {
  try {
    return await readPlain(await placeIn(root, getTurnStagingResultPath(turnId)), MAX_RESULT_BYTES);
  } catch {
    return null;
  }
}

const LEFT_OUT = /\n\[… \d+ bytes left out …\]\n/;
/** Of less nobody could tell that it is a part of a secret. */
const SHORTEST_PART = 4;

/** What is long was cut in its middle, and a secret may have been cut with it. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const [mark] = LEFT_OUT.exec(text) ?? [];
  if (mark === undefined) return redactSecrets(text, secrets);
  const [head = '', tail = ''] = text.split(mark);
  return [withoutEnd(head, secrets), withoutBeginning(tail, secrets)]
    .map((part) => redactSecrets(part, secrets))
    .join(mark);
}

function withoutEnd(text: string, secrets: readonly string[]): string {
  const chars = secrets.map((secret) => longest(secret, (count) => text.endsWith(secret.slice(0, count))));
  return text.slice(0, text.length - Math.max(0, ...chars));
}

function withoutBeginning(text: string, secrets: readonly string[]): string {
  const chars = secrets.map((secret) => longest(secret, (count) => text.startsWith(secret.slice(-count))));
  return text.slice(Math.max(0, ...chars));
}

function longest(secret: string, isPart: (chars: number) => boolean): number {
  for (let chars = secret.length - 1; chars >= SHORTEST_PART; chars -= 1) if (isPart(chars)) return chars;
  return 0;
}
