/** Globs over names: `*` is any text, `?` is one character, everything else is itself. No regular expression is made of what a client sends. */

/**
 * Takes at most pattern × text steps. A `*` in the text is matched by `*` alone and a `?` by `?` or `*`, so a pattern
 * may also be asked about another pattern: what it matches then is covered by it. (Not all that is covered is found.)
 */
export function globMatches(pattern: string, text: string): boolean {
  let at = 0;
  let place = 0;
  /** The last `*`, and the text it was tried to end before. */
  let star = -1;
  let tried = 0;
  while (place < text.length) {
    if (pattern[at] === '*') {
      star = at;
      tried = place;
      at += 1;
    } else if (at < pattern.length && isSame(pattern[at], text[place])) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      tried += 1;
      place = tried;
      at = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one === '?' && other !== '*');
}

export function anyMatches(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => globMatches(pattern, text));
}

/** Everything the first list matches the second surely matches. Where it cannot be told, the answer is no. */
export function isCovered(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((pattern) => anyMatches(outer, pattern));
}

/** In one form: no `**`, nothing another pattern covers, in order. Lists that cover each other are then the same. */
export function reduceGlobs(patterns: readonly string[]): readonly string[] {
  const plain = [...new Set(patterns.map((pattern) => pattern.replaceAll(/\*+/g, '*')))];
  return plain.filter((one) => !plain.some((other) => other !== one && globMatches(other, one))).sort();
}
