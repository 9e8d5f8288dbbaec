/** Creates a temporary project on disk for one fixture. */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { engine } from 'parley-hub/governed';
import type { Fixture, Members } from '../fixture.ts';
import { membersOf, type World } from './inflate.ts';

const { canonicalPath } = engine;

export interface Workspace {
  readonly root: string;
  readonly setup: Members;
  readonly signal: AbortSignal | undefined;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Returns no lines if the file is absent. */
  lines(path: string): readonly unknown[];
  /** Digest of the run files that only the run may change. */
  booksDigest(): string;
}

const BOOKS = ['state.json', 'history.jsonl', 'decision-ledger.jsonl'].map((name) => `.agentxchain/${name}`);

export async function inWorkspace<T>(
  { setup }: Fixture,
  { config, state, history, ledger }: World,
  perform: (workspace: Workspace) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'parley-fixture-'));
  try {
    const workspace = workspaceAt(root, setup, signal);
    workspace.write('agentxchain.json', `${JSON.stringify(config, null, 2)}\n`);
    workspace.write('.agentxchain/state.json', `${JSON.stringify(state, null, 2)}\n`);
    workspace.write('.agentxchain/history.jsonl', jsonLines(history));
    workspace.write('.agentxchain/decision-ledger.jsonl', jsonLines(ledger));
    for (const [path, text] of Object.entries(membersOf(setup.filesystem))) workspace.write(path, String(text));
    return await perform(workspace);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function workspaceAt(root: string, setup: Members, signal: AbortSignal | undefined): Workspace {
  const place = (path: string): string => {
    const canonical = canonicalPath(path);
    if (canonical === null) throw new Error(`${path} is no file of a project`);
    return join(root, canonical);
  };
  const read = (path: string): string => {
    try {
      return readFileSync(place(path), 'utf8');
    } catch {
      return '';
    }
  };
  return {
    root,
    setup,
    signal,
    write(path, text) {
      mkdirSync(dirname(place(path)), { recursive: true });
      writeFileSync(place(path), text);
    },
    remove: (path) => rmSync(place(path), { recursive: true, force: true }),
    lines: (path) =>
      read(path)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown),
    booksDigest: () =>
      createHash('sha256')
        .update(JSON.stringify(BOOKS.map(read)))
        .digest('hex'),
  };
}

function jsonLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
