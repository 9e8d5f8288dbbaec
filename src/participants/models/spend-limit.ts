/** Limits on money: no waiting helps, so they are never tried again, though most come as 429. Pure. */

const SPEND_LIMITS: ReadonlySet<string> = new Set([
  'enforced_spend_limit_reached',
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'billing_hard_limit_reached',
  'billing_error',
]);

export function spendLimitIn(words: readonly string[]): boolean {
  return words.some((word) => SPEND_LIMITS.has(word));
}
