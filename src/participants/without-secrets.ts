/** An agent may throw anything, also a key that it was called with: what is told of it to others is free of that. Pure. */

import { redactSecrets } from './lib/redact-secrets.ts';

/** The error itself if there is nothing to hide; else one of the same name, kind and code that says the rest. */
export function withoutSecrets(error: Error): Error {
  const message = redactSecrets(error.message);
  if (message === error.message) return error;
  // Its stack and its cause say the same again.
  const shown = new Error(message);
  shown.name = error.name;
  const kind = 'kind' in error && typeof error.kind === 'string' ? { kind: error.kind } : {};
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return Object.assign(shown, kind, code);
}
