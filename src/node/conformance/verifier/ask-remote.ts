/** One fixture, one request to the target. Nothing but a 200 is an answer. */

import type { Fixture } from '../../../governed/conformance/fixture.ts';
import { type Asked, answerIn, broken } from './answer.ts';
import { request, said } from '../../../governed/conformance/verifier/request.ts';
import type { RemoteTarget } from '../../../governed/conformance/verifier/target.ts';

export async function askRemote({ url, token }: RemoteTarget, fixture: Fixture, timeoutMs: number): Promise<Asked> {
  const came = await request(`${url}/conform/execute`, { token, timeoutMs, body: JSON.stringify(fixture) });
  switch (came.kind) {
    case 'late':
      return { kind: 'timed_out', message: came.message };
    case 'failed':
      return broken(came.message);
    case 'response':
      return came.status === 200 ? answerIn(came.text, 'the body') : broken(said(came));
  }
}
