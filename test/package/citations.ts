/** How rules are written in SPEC.md and cited in the titles of tests. */

export function rulesIn(spec: string): string[] {
  return [...spec.matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map(([, rule]) => String(rule));
}

/** A citation opens a string literal and is followed by the sentence: '[L1] ...'. */
export function citedIn(source: string): string[] {
  const pattern = /['"`]\[([A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)\]\s+\S/g;
  return [...source.matchAll(pattern)].flatMap(([, list]) => String(list).split(/\s*,\s*/));
}
