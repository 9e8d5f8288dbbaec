/** Chance that is the same everywhere and every time: what looks random is decided by the session and its turn. */

/** One of several; the same text chooses the same one again. undefined = there is none. */
export function seededPick<T>(among: readonly T[], seed: string): T | undefined {
  return among[hashOf(seed) % among.length];
}

/** FNV-1a, and the last mixing of murmur3 so that neighbouring turns are far apart: 32 bits that are the same everywhere. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
