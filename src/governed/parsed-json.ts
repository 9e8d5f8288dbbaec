/** Text that came from outside as a value; what is no JSON is nothing. */

/** undefined = it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
