/** The log of a hub that runs by itself: JSON lines by pino, or text for people where somebody looks. Secrets never get there. */

import { type LevelWithSilent, pino } from 'pino';
import { HubError } from '../../core/lib/errors.ts';
import type { Log } from '../../core/ports/platform.ts';
import { lineLog } from './line-log.ts';
import { withoutSecrets } from '../../node/without-secrets.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where it is written. */
export interface LogOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export function logTo(output: LogOutput, level: LogLevel = 'info'): Log {
  const told = LOG_LEVELS.slice(LOG_LEVELS.indexOf(level));
  const all = output.isTTY === true ? lineLog(output) : jsonLog(output, level);
  const only = (name: Exclude<LogLevel, 'silent'>): NonNullable<Log['debug']> => {
    if (!told.includes(name)) return () => {};
    return (message, details) => all[name](withoutSecrets(message), withoutSecrets(details ?? {}));
  };
  const log = { info: only('info'), warn: only('warn'), error: only('error') };
  // Who asks whether anybody wants to know need not find words for it.
  return level === 'debug' ? { ...log, debug: only('debug') } : log;
}

export function logLevelOf(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level !== undefined) return level;
  throw new HubError('bad_options', `--log-level: expected one of ${LOG_LEVELS.join(', ')}, got "${text}"`);
}

function jsonLog(output: LogOutput, level: LevelWithSilent): Required<Log> {
  const to = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: NAMED_LEVELS }, output);
  const line =
    (name: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, details: Record<string, unknown> = {}): void =>
      to[name](details, message);
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

const NAMED_LEVELS = { level: (name: string) => ({ level: name }) };
