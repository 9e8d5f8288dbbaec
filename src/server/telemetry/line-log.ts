/** What the hub has to tell whoever runs it, a line each. */

import type { Log } from '../../core/ports/platform.ts';

export function lineLog(output: { write(text: string): unknown }): Required<Log> {
  const line =
    (level: string) =>
    (message: string, details?: Record<string, unknown>): void => {
      const more = details === undefined || Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
      output.write(`${new Date().toISOString()} ${level} ${message}${more}\n`);
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
