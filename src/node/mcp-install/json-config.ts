/** JSON as people keep it: comments, commas too many and the way it is laid out stay as they are. */

import { isDeepStrictEqual } from 'node:util';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import {
  BrokenConfig,
  type ConfigFormat,
  eolOf,
  isObject,
  notAnObject,
  type Path,
  placeAt,
  valueAt,
  withValue,
} from '../../mcp/install/config-editor.ts';
import { putValue, takeValue } from '../../mcp/install/json-config.ts';

export const jsonConfig: ConfigFormat = {
  read: (text, path) => valueAt(parsed(text), path),

  set(text, path, members) {
    const root = parsed(text);
    const there = valueAt(root, path);
    if (there !== undefined && !isObject(there)) throw notAnObject(path, there);
    const whole = isObject(there) ? { ...there, ...members } : members;
    let after = text;
    if (!isObject(there)) after = changed(after, path, members);
    // Each by itself: what else is in it keeps its place and its comments.
    else {
      for (const [name, value] of Object.entries(members)) {
        if (!isDeepStrictEqual(there[name], value)) after = changed(after, [...path, name], value);
      }
    }
    return assertOnly(after, withValue(root ?? {}, path, whole));
  },

  remove(text, path) {
    const root = parsed(text);
    if (valueAt(root, path) === undefined) return text;
    return assertOnly(takeValue(text, path), withValue(root, path, undefined));
  },

  alone: (path, members) => `${JSON.stringify(withValue({}, path, members), null, 2)}\n`,
};

/** undefined = there is nothing in it but space and comments. */
function parsed(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first === undefined) return value;
  const problem = printParseErrorCode(first.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  throw new BrokenConfig(`it is not JSON: ${problem}`, placeAt(text, first.offset));
}

function changed(text: string, path: Path, value: unknown): string {
  if (parsed(text) !== undefined) return putValue(text, path, value);
  // Comments alone, or nothing at all.
  const eol = eolOf(text);
  const before = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
  return before + `${JSON.stringify(withValue({}, path, value), null, 2)}\n`.replaceAll('\n', eol);
}

/** A name that is there twice would be read in one place and changed in the other. */
function assertOnly(after: string, expected: unknown): string {
  if (isDeepStrictEqual(parsed(after), expected)) return after;
  throw new BrokenConfig('it cannot be changed without touching what is not ours; is a name in it twice?', null);
}
