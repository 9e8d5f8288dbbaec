/** One fixture, given to the target the way it takes them, within a bound. */

import type { Fixture } from '../../../governed/conformance/fixture.ts';
import type { Asked } from './answer.ts';
import { askProcess } from '../../../governed/conformance/verifier/ask.ts';
import { askRemote } from './ask-remote.ts';
import type { Target } from '../../../governed/conformance/verifier/target.ts';

export function ask(target: Target, fixture: Fixture, timeoutMs: number): Promise<Asked> {
  return target.kind === 'remote' ? askRemote(target, fixture, timeoutMs) : askProcess(target, fixture, timeoutMs);
}
