/** How SPEC.md writes rules, and test titles cite them. */

export function rulesIn(spec: string): string[] {
  return [...spec.matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map(([, rule]) => String(rule));
}

/** The rules cited by tests of every run: titles of `itDeep` are left out. */
export function citedInQuick(source: string): string[] {
  return citedIn(source.replace(/\bitDeep(?:\.each\([\s\S]*?\))?\(\s*['"`]\[/g, 'itDeep('));
}

/** A citation opens a string literal and is followed by the sentence: '[L1] ...'. */
export function citedIn(source: string): string[] {
  const pattern = /['"`]\[([A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)\]\s+\S/g;
  return [...source.matchAll(pattern)].flatMap(([, list]) => String(list).split(/\s*,\s*/));
}
