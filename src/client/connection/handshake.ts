/** How a client gets its identity: it says hello, and registers only a name that the hub does not know. */

import { type WireCode, WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { WelcomeFrame } from '../../core/protocol/frames/frames.ts';
import type { PassportClaim } from '../../core/records/identity/passport.ts';

export type Claim = Omit<PassportClaim, 'name'>;

/** Who says hello, and how it proves it. */
export interface HelloOptions {
  readonly name: string;
  readonly credentials: JsonObject;
}

/** The part of a connection that binding needs. */
interface BindingConnection {
  readonly isWelcome: boolean;
  hello(introduction: HelloOptions): Promise<WelcomeFrame>;
  register(claim: PassportClaim): Promise<unknown>;
}

/** `claim` null = an identity that must exist. */
export async function bind(
  connection: BindingConnection,
  introduction: HelloOptions,
  claim: Claim | null,
): Promise<void> {
  try {
    await connection.hello(introduction);
  } catch (error) {
    if (claim === null || !isWireError(error, 'unauthenticated')) throw error;
    await enrol(connection, introduction, claim);
  }
}

async function enrol(connection: BindingConnection, introduction: HelloOptions, claim: Claim): Promise<void> {
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
async function helloAgain(
  connection: BindingConnection,
  introduction: HelloOptions,
  conflict: WireError,
): Promise<void> {
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

interface Greeting {
  resolve(welcome: WelcomeFrame): void;
  reject(error: WireError): void;
}

/** The hello of one connection. At most one waits for its welcome. */
export class Handshake {
  /** The last that was said; null = none yet. */
  introduction: HelloOptions | null = null;
  private readonly say: (introduction: HelloOptions) => void;
  private greeting: Greeting | null = null;

  constructor(say: (introduction: HelloOptions) => void) {
    this.say = say;
  }

  /** The hello that waits for its welcome; null = none does. */
  get pending(): object | null {
    return this.greeting;
  }

  hello(introduction: HelloOptions): Promise<WelcomeFrame> {
    return new Promise((resolve, reject) => {
      this.greeting = { resolve, reject };
      this.introduction = introduction;
      this.say(introduction);
    });
  }

  welcomed(welcome: WelcomeFrame): void {
    this.greeting?.resolve(welcome);
    this.greeting = null;
  }

  refused(error: WireError): void {
    this.greeting?.reject(error);
    this.greeting = null;
  }

  giveUp(why: string): void {
    this.refused(new WireError('unavailable', `hello was not answered: ${why}`, { outcome: 'unknown' }));
  }
}
