/** A colour for everybody, by their place in the session: one of a few that the style sheets know. Pure. */

const HUES = 8;

/** `names` are in the order of the participants, the hub first. */
export function speakerHue(agentId: string, names: ReadonlyMap<string, string>): number {
  return Math.max(0, [...names.keys()].indexOf(agentId) - 1) % HUES;
}
