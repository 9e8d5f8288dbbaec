/** Keys of creates that are under way, per creator. Once a session is durable, the store knows it by its key. */

import { keyName } from '../core/records/session/keys.ts';

export interface CreateUnderWay {
  readonly digest: string;
  /** It has been decided, one way or the other. */
  readonly decided: Promise<void>;
}

export class CreateKeys {
  private readonly underWay = new Map<string, CreateUnderWay>();

  find(creatorId: string, key: string): CreateUnderWay | undefined {
    return this.underWay.get(keyName(creatorId, key));
  }

  /** The key is this request's until the result is called; nobody else may have it. */
  claim(creatorId: string, key: string, digest: string): () => void {
    const name = keyName(creatorId, key);
    let decide = (): void => {};
    const decided = new Promise<void>((resolve) => {
      decide = resolve;
    });
    this.underWay.set(name, { digest, decided });
    return () => {
      this.underWay.delete(name);
      decide();
    };
  }
}
