/** Money as people read it. Pure. */

/** Dollars with as many digits as say something. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
