/** A project on disk with run files, and short hooks. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HttpHook, ProcessHook } from '../../../src/governed/engine/hooks/hook.ts';

export class Project {
  readonly root: string = mkdtempSync(join(tmpdir(), 'parley-project-'));

  constructor() {
    this.write('.agentxchain/state.json', '{"status":"active"}\n');
    this.write('.agentxchain/history.jsonl', '{"turn_id":"turn_a"}\n');
    this.write('.agentxchain/decision-ledger.jsonl', '');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  lines(path: string): readonly Record<string, unknown>[] {
    return this.read(path)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const ALLOW = `printf '{"verdict":"allow"}'`;

export function shell(script: string, more: Partial<ProcessHook> = {}): ProcessHook {
  return {
    name: 'watch',
    type: 'process',
    command: ['sh', '-c', script],
    timeout_ms: 5_000,
    mode: 'blocking',
    ...more,
  };
}

export function call(url: string, more: Partial<HttpHook> = {}): HttpHook {
  return { name: 'call', type: 'http', url, timeout_ms: 5_000, mode: 'blocking', ...more };
}
