/** Posts as frames without a network: the cost of the wire format. */

import type { Link } from '../../src/core/lib/link.ts';
import type { Hub } from '../../src/hub/hub.ts';
import { TEXT } from './arena.ts';

interface Answer {
  readonly kind: string;
  readonly request_id?: string;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export async function postByLink(
  hub: Hub,
  sessions: number,
): Promise<{ post(slot: number): Promise<unknown>; close(): void }> {
  const ann = new Asker(hub.connect());
  const ben = new Asker(hub.connect());
  await ann.ask('register', { name: 'ann' });
  await ben.ask('register', { name: 'ben' });
  const ids: string[] = [];
  for (let i = 0; i < sessions; i++) {
    const asked = { type: 'conversation', participants: ['ben'], wait: 'created' };
    // The result of create_session.
    const { session } = (await ann.ask('create_session', asked)) as { session: { session_id: string } };
    await ben.ask('ack_invite', { session_id: session.session_id });
    ids.push(session.session_id);
  }
  ben.close();
  let posted = 0;
  return {
    post: (slot) =>
      ann.ask('post', {
        session_id: ids[slot % sessions],
        event_type: 'msg.text',
        event_data: { text: TEXT },
        idempotency_key: `link-${(posted++).toString(36)}`,
      }),
    close: () => ann.close(),
  };
}

class Asker {
  readonly #link: Link;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #asked = 0;

  constructor(link: Link) {
    this.#link = link;
    link.onMessage((text) => {
      // The hub sends frames.
      const answer = JSON.parse(text) as Answer;
      if (answer.request_id === undefined) return;
      this.#open.get(answer.request_id)?.(answer);
      this.#open.delete(answer.request_id);
    });
  }

  ask(op: string, params: object): Promise<unknown> {
    const request_id = String(this.#asked++);
    return new Promise((resolve, reject) => {
      this.#open.set(request_id, ({ ok, result, error }) =>
        ok === true ? resolve(result) : reject(new Error(`${op}: ${error?.message}`)),
      );
      this.#link.send(JSON.stringify({ kind: 'request', request_id, op, params }));
    });
  }

  close(): void {
    this.#link.close();
  }
}
