/** Builds the environment of a program: safe variables, requested ones, and a marker variable to find its processes. */

import { mkdirSync } from 'node:fs';
import type { Program } from './program.ts';

/** Excludes proxies, whose addresses may contain passwords. */
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

/** A nested run keeps both marks, so that the outer run can find all processes. */
const MARK_PREFIX = 'PARLEY_RUN_';

const WITHOUT_TERMINAL: Readonly<Record<string, string>> = { TERM: 'dumb', NO_COLOR: '1' };

/** The environment without the mark. */
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

/** A variable name that all descendants inherit and nothing else has. */
export function markOf(id: string): string {
  return `${MARK_PREFIX}${id.replaceAll('-', '')}`;
}

/** Creates a private folder (0700): a home holds credentials and transcripts. */
export function makeHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
}

function isSafe(name: string): boolean {
  return SAFE_NAMES.has(name) || name.startsWith('LC_') || name.startsWith(MARK_PREFIX);
}
