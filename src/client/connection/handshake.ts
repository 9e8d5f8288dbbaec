/** Binds an identity: says hello, and registers the name if the hub does not know it. */

import { type WireCode, WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { WelcomeFrame } from '../../core/protocol/frames/frames.ts';
import type { PassportClaim } from '../../core/records/identity/passport.ts';

export type Claim = Omit<PassportClaim, 'name'>;

/** The name of the identity, and its credentials. */
export interface HelloOptions {
  readonly name: string;
  readonly credentials: JsonObject;
}

interface BindingConnection {
  readonly isWelcome: boolean;
  hello(introduction: HelloOptions): Promise<WelcomeFrame>;
  register(claim: PassportClaim): Promise<unknown>;
}

/** `claim`: the passport of a new identity; null if the identity must exist. */
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
    // The welcome normally precedes the answer, unless it was lost.
    if (!connection.isWelcome) await connection.hello(introduction);
  } catch (error) {
    if (!isWireError(error, 'conflict')) throw error;
    await helloAgain(connection, introduction, error);
  }
}

/** Says hello after a name conflict. It succeeds if the name is ours; otherwise the error reports the conflict. */
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

/** The hello of one connection. At most one is pending. */
export class Handshake {
  /** The last hello sent; null if none was sent. */
  introduction: HelloOptions | null = null;
  private readonly say: (introduction: HelloOptions) => void;
  private greeting: Greeting | null = null;

  constructor(say: (introduction: HelloOptions) => void) {
    this.say = say;
  }

  /** The pending hello; null if there is none. */
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
