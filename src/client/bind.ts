/** How a client comes to its identity: it says hello, and only a name that is not known yet is registered. */

import { type WireCode, WireError } from '../core/lib/errors.ts';
import type { PassportClaim } from '../core/records/identity/passport.ts';
import type { Connection, Introduction } from './connection/connection.ts';

export type Claim = Omit<PassportClaim, 'name'>;

/** `claim` null = an identity that must exist. */
export async function bind(connection: Connection, introduction: Introduction, claim: Claim | null): Promise<void> {
  try {
    await connection.hello(introduction);
  } catch (error) {
    if (claim === null || !isWireError(error, 'unauthenticated')) throw error;
    await enrol(connection, introduction, claim);
  }
}

async function enrol(connection: Connection, introduction: Introduction, claim: Claim): Promise<void> {
  try {
    await connection.register({ ...claim, name: introduction.name });
    // The welcome comes before the answer, unless it was lost on the way.
    if (!connection.isWelcome) await connection.hello(introduction);
  } catch (error) {
    if (!isWireError(error, 'conflict')) throw error;
    await helloAgain(connection, introduction, error);
  }
}

/** Somebody with the same name was faster: if it is us, hello works now; if not, only the conflict knows why. */
async function helloAgain(connection: Connection, introduction: Introduction, conflict: WireError): Promise<void> {
  try {
    await connection.hello(introduction);
  } catch (cause) {
    if (!isWireError(cause, 'unauthenticated')) throw cause;
    throw new WireError(cause.code, `${conflict.message} (and hello was refused)`, conflict.details, { cause });
  }
}

function isWireError(error: unknown, code: WireCode): error is WireError {
  return error instanceof WireError && error.code === code;
}
