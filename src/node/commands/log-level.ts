/** How much a hub logs, as help and completion tell it; the log itself is loaded only when it is written to. */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
