/** What somebody gave in place of a number or an object, short enough for an error message. */

const MOST_SHOWN = 80;

export function received(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return shortened(JSON.stringify(value));
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Whole characters: half of one cannot be written. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= MOST_SHOWN ? text : `${characters.slice(0, MOST_SHOWN).join('')}...`;
}
