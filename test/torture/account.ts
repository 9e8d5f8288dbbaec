/** What a member knows: its journal, and what follows from it. A killed process starts from here. */

import { Journal, type Line, readJournal } from './journal.ts';

export interface Known {
  readonly type: string;
  /** Opened by this member. */
  isMine: boolean;
  /** Accepts nothing more. */
  isClosing: boolean;
  isClosed: boolean;
}

export class Account {
  readonly sessions = new Map<string, Known>();
  /** Unanswered posts in the order first sent: key → session. */
  readonly unanswered = new Map<string, string>();
  /** Unanswered creates, by key. */
  readonly openings = new Map<string, { readonly type: string; readonly names: readonly string[] }>();
  /** Counts its requests, so that no key is reused. */
  count = 0;
  readonly #received = new Set<string>();
  readonly #journal: Journal;
  readonly #moved: () => void;

  /** `forgets`: a mutant that does not know what it has received. */
  constructor(path: string, forgets: boolean, moved: () => void) {
    this.#moved = moved;
    for (const line of readJournal(path)) if (!forgets || line.at !== 'received') this.#note(line);
    this.#journal = new Journal(path);
    this.write({ at: 'started' });
  }

  write(line: Line): void {
    this.#journal.write(line);
    this.#note(line);
    this.#moved();
  }

  hasReceived(session: string, seq: number): boolean {
    return this.#received.has(`${session} ${seq}`);
  }

  /** Sessions believed to be live. */
  going(type: string): readonly string[] {
    return [...this.sessions]
      .filter(([, one]) => one.type === type && !one.isClosing && !one.isClosed)
      .map(([session]) => session);
  }

  mine(): readonly string[] {
    return [...this.sessions].filter(([, one]) => one.isMine && !one.isClosed).map(([session]) => session);
  }

  #note(line: Line): void {
    switch (line.at) {
      case 'opening':
        this.count += 1;
        this.openings.set(line.key, line);
        return;
      case 'opened':
        this.#know(line.session, this.openings.get(line.key)?.type ?? '').isMine = true;
        this.openings.delete(line.key);
        return;
      case 'not_opened':
        this.openings.delete(line.key);
        return;
      case 'joined':
        this.#know(line.session, line.type);
        return;
      case 'posting':
        this.count += 1;
        this.unanswered.set(line.key, line.session);
        return;
      case 'acked':
      case 'refused':
        this.unanswered.delete(line.key);
        return;
      case 'received':
        this.#received.add(`${line.session} ${line.seq}`);
        return;
      case 'closed':
        this.#know(line.session, '').isClosed = true;
    }
  }

  #know(session: string, type: string): Known {
    const known = this.sessions.get(session) ?? { type, isMine: false, isClosing: false, isClosed: false };
    this.sessions.set(session, known);
    return known;
  }
}
