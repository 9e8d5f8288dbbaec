/** Log levels, and a log as plain lines. Neither loads pino: help and completion name the levels too. */

import type { Logger } from '../../core/ports/platform.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes one line per message. */
export function lineLog(output: { write(text: string): unknown }): Required<Logger> {
  const line =
    (level: string) =>
    (message: string, details?: Record<string, unknown>): void => {
      const more = details === undefined || Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
      output.write(`${new Date().toISOString()} ${level} ${message}${more}\n`);
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
