/** Time zones: what clocks on the wall show, and when. A wall time is written as the milliseconds of the same time in UTC. */

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
const DAY_MS = 86_400_000;
/** Wall time and UTC are at most 15 hours apart; what is further away than this has nothing to do with a change of the clocks here. */
const NEAR_MS = 2 * DAY_MS;
/** There are some 600 zones, and a hub uses a few. */
const MOST_FORMATS = 64;

const formats = new Map<string, Intl.DateTimeFormat>();

/** A zone by name; offsets are no zones, because they do not know of summer. */
export function isZone(name: unknown): name is string {
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** How far the clocks of a zone are ahead of UTC. */
export function offsetMs(zone: string, ms: number): number {
  const match = OFFSET.exec(formatOf(zone).format(ms));
  if (match === null) throw new RangeError(`no offset of ${zone} at ${ms}`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

/** When the clocks show it first; what they skip is the first instant after the gap. */
export function instantOf(zone: string, wallMs: number): number {
  const before = offsetMs(zone, wallMs - DAY_MS);
  const after = offsetMs(zone, wallMs + DAY_MS);
  if (before === after) return wallMs - before;
  const change = changeBetween(zone, wallMs - DAY_MS, wallMs + DAY_MS);
  if (wallMs - before < change) return wallMs - before;
  return Math.max(change, wallMs - after);
}

/** The latest wall time that has come by then: every one up to it has had its instant, every later one has it yet to come. */
export function wallReached(zone: string, ms: number): number {
  const before = offsetMs(zone, ms - NEAR_MS);
  if (before === offsetMs(zone, ms + NEAR_MS)) return ms + before;
  let reached = ms - NEAR_MS;
  let ahead = ms + NEAR_MS;
  while (ahead - reached > 1) {
    const middle = Math.floor((reached + ahead) / 2);
    if (instantOf(zone, middle) <= ms) reached = middle;
    else ahead = middle;
  }
  return reached;
}

/** The first instant with the later offset. */
function changeBetween(zone: string, from: number, to: number): number {
  const later = offsetMs(zone, to);
  let before = from;
  let change = to;
  while (change - before > 1) {
    const middle = Math.floor((before + change) / 2);
    if (offsetMs(zone, middle) === later) change = middle;
    else before = middle;
  }
  return change;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (formats.size >= MOST_FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}
