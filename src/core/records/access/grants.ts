/** What an identity may do beyond its own business. Given by whoever runs the hub. */

export const GRANTS = {
  operate: 'Close any session; hide and remove participants; pause and delete schedules; redact what was said.',
  observe: 'Subscribe to and read every session.',
  rules: 'Read and set the rules of others, and loosen its own.',
  enrol: 'Register new identities.',
  approve: 'Decide on approvals.',
} as const;

export type Grant = keyof typeof GRANTS;
