/** Permissions beyond an identity's own sessions, granted by an operator. */

export const GRANTS = {
  operate: 'Close any session; hide and remove participants; pause and delete schedules; redact content.',
  observe: 'Subscribe to and read every session.',
  rules: 'Read and set the access rules of others, and loosen its own.',
  enrol: 'Register new identities.',
  approve: 'Decide on approvals.',
} as const;

export type Grant = keyof typeof GRANTS;
