/** A colour for everybody, the same each time: one of a few that the style sheets know. Pure. */

const HUES = 8;

export function speakerHue(agentId: string): number {
  let sum = 0;
  for (const character of agentId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % HUES;
}
