/** How much of what a hub logs is written. */

import type { Log } from '../../core/ports.ts';

export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function logFrom(log: Log, level: LogLevel): Log {
  const from = LOG_LEVELS.indexOf(level);
  const nothing = (): void => {};
  return {
    info: from <= 0 ? (message, details) => log.info(message, details) : nothing,
    warn: from <= 1 ? (message, details) => log.warn(message, details) : nothing,
    error: from <= 2 ? (message, details) => log.error(message, details) : nothing,
  };
}
