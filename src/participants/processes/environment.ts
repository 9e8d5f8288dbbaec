/** The environment a program gets: a short list of what is harmless, what was asked for, and a mark to find it by. */

import { mkdirSync } from 'node:fs';
import type { Program } from './program.ts';

/** Who and where we are, and which certificates are trusted. Proxies are not among them: their addresses hold passwords. */
const SAFE_NAMES: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]);

/** A run within a run keeps the marks of both, so that whoever ends the outer one finds everything. */
export const MARK_PREFIX = 'PARLEY_RUN_';

const WITHOUT_TERMINAL: Readonly<Record<string, string>> = { TERM: 'dumb', NO_COLOR: '1' };

/** What the program sees, but for its mark. */
export function programEnvironment(
  { env = {}, passEnv = [], home }: Pick<Program, 'env' | 'passEnv' | 'home'>,
  ours: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  const wanted = new Set(passEnv);
  const passed = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && (wanted.has(name) || isSafe(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(passed), ...WITHOUT_TERMINAL, ...(home === undefined ? {} : { HOME: home }), ...env };
}

/** A name that its whole offspring inherits, and that nothing else has. */
export function markOf(id: string): string {
  return `${MARK_PREFIX}${id.replaceAll('-', '')}`;
}

/** Nobody else may read a home: credentials and transcripts are kept there. */
export function makeHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
}

function isSafe(name: string): boolean {
  return SAFE_NAMES.has(name) || name.startsWith('LC_') || name.startsWith(MARK_PREFIX);
}
