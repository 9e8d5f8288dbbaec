/** The log of `parley up`: JSON lines by pino, or text at a terminal. Credentials are redacted before they are written. */

import { type LevelWithSilent, pino } from 'pino';
import { HubError } from '../../core/lib/errors.ts';
import type { Logger } from '../../core/ports/platform.ts';
import { LOG_LEVELS, type LogLevel, lineLog } from './line-log.ts';

interface LogOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export function logTo(output: LogOutput, level: LogLevel = 'info'): Logger {
  const enabled = LOG_LEVELS.slice(LOG_LEVELS.indexOf(level));
  const all = output.isTTY === true ? lineLog(output) : jsonLog(output, level);
  const only = (name: Exclude<LogLevel, 'silent'>): NonNullable<Logger['debug']> => {
    if (!enabled.includes(name)) return () => {};
    return (message, details) => all[name](redactCredentials(message), redactCredentials(details ?? {}));
  };
  const log = { info: only('info'), warn: only('warn'), error: only('error') };
  // `debug` is absent unless enabled, so callers can skip building messages.
  return level === 'debug' ? { ...log, debug: only('debug') } : log;
}

export function logLevelOf(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level !== undefined) return level;
  throw new HubError('bad_options', `--log-level: expected one of ${LOG_LEVELS.join(', ')}, got "${text}"`);
}

function jsonLog(output: LogOutput, level: LevelWithSilent): Required<Logger> {
  const to = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: NAMED_LEVELS }, output);
  const line =
    (name: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, details: Record<string, unknown> = {}): void =>
      to[name](details, message);
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

const NAMED_LEVELS = { level: (name: string) => ({ level: name }) };

/** Hub tokens keep their id, which is not secret. */
const TOKEN = /\b(parley_[0-9a-f]{16}_)[A-Za-z0-9_-]{32,128}/g;
const JWT = /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g;
/** A bearer token of any form; trailing punctuation belongs to the surrounding text. */
const BEARER = /\b(Bearer +)[^\s"']*[^\s"',;]/gi;
/** Members that are always secret. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'token',
  'secret',
  'password',
  'passphrase',
  'authorization',
  'auth',
  'cookie',
]);
const HIDDEN = '[secret]';
/** Maximum nesting to inspect; deeper than any logged value. */
const MAX_LEVELS = 8;

/** Returns a copy without credentials. */
export function redactCredentials<T>(value: T, level = 0): T {
  // The copy has the same type; only strings differ.
  return hidden(value, level) as T;
}

function hidden(value: unknown, level: number): unknown {
  if (typeof value === 'string') {
    return value.replace(TOKEN, `$1${HIDDEN}`).replace(JWT, HIDDEN).replace(BEARER, `$1${HIDDEN}`);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (level === MAX_LEVELS) return HIDDEN;
  if (value instanceof Error) return hidden(value.message, level);
  if (Array.isArray(value)) return value.map((one) => hidden(one, level + 1));
  const members = Object.entries(value).map(([name, member]) => [
    name,
    SECRET_NAMES.has(name.toLowerCase()) ? HIDDEN : hidden(member, level + 1),
  ]);
  return Object.fromEntries(members);
}
