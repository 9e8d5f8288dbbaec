/** Globs over names: `*` is any text, `?` is one character. Never compiles a client's text to a regular expression. */

/** Takes at most pattern × text steps. If `text` is itself a pattern, a match means that `pattern` covers it; some
 * covered patterns are not recognized. */
export function globMatches(pattern: string, text: string): boolean {
  let at = 0;
  let place = 0;
  /** Index of the last `*` in the pattern; `tried` is the position in the text up to which it extends. */
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

/** True only if every name matched by `inner` is also matched by `outer`; false when undecidable. */
export function isCovered(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((pattern) => anyMatches(outer, pattern));
}

/** The canonical form: no `**`, no pattern covered by another, sorted. */
export function reduceGlobs(patterns: readonly string[]): readonly string[] {
  const plain = [...new Set(patterns.map((pattern) => pattern.replaceAll(/\*+/g, '*')))];
  return plain.filter((one) => !plain.some((other) => other !== one && globMatches(other, one))).sort();
}
