/** Log levels, and a plain-text log. Separate from pino-log.ts so that help and completion do not load pino. */

import type { Logger } from '../../core/ports/platform.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function lineLog(output: { write(text: string): unknown }): Required<Logger> {
  const line =
    (level: string) =>
    (message: string, details?: Record<string, unknown>): void => {
      const more = details === undefined || Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
      output.write(`${new Date().toISOString()} ${level} ${message}${more}\n`);
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
