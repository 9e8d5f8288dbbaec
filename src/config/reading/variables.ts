/** Expands `${NAME}` and `${NAME:-default}` in texts. Values of variables never appear in messages. */

import { type KeyPath, MAX_LEVELS, type Problem } from './location.ts';

interface ExpandResult {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Values taken from the environment, with their names, to keep them out of errors. */
  readonly taken: ReadonlyMap<string, string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const PARTS = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;
const FORM = `expected \${NAME} or \${NAME:-default}; a plain "\${" is written "$\${"`;
const NESTED = `expected no "\${" within "\${…}": defaults are not expanded`;

/** True if the text is a single reference, which may stand for a number. */
export function isReference(text: unknown): text is string {
  return typeof text === 'string' && /^\$\{[^}]*\}$/.test(text);
}

export function expandVariables(value: unknown, env: Environment): ExpandResult {
  const problems: Problem[] = [];
  const taken = new Map<string, string>();
  const walk = (part: unknown, path: KeyPath): unknown => {
    if (typeof part === 'string') return expandText(part, path, env, problems, taken);
    if (path.length > MAX_LEVELS) {
      problems.push({ path: path.slice(0, 1), text: `expected at most ${MAX_LEVELS} levels` });
      return null;
    }
    if (Array.isArray(part)) return part.map((one, at) => walk(one, [...path, at]));
    return isPlain(part) ? members(part, path, walk, problems) : part;
  };
  return { value: walk(value, []), problems, taken };
}

function members(
  part: object,
  path: KeyPath,
  walk: (part: unknown, path: KeyPath) => unknown,
  problems: Problem[],
): unknown {
  const entries = Object.entries(part).filter(([, member]) => member !== undefined);
  const odd = entries.find(([key]) => key === '__proto__');
  if (odd !== undefined) problems.push({ path: [...path, odd[0]], part: 'key', text: 'this key is not allowed' });
  return Object.fromEntries(
    entries.filter((one) => one !== odd).map(([key, member]) => [key, walk(member, [...path, key])]),
  );
}

/** Expands once, from the left; values are not expanded again. */
function expandText(
  text: string,
  path: KeyPath,
  env: Environment,
  problems: Problem[],
  taken: Map<string, string>,
): string {
  return text.replaceAll(REFERENCE, (all, inner: string | undefined, end: string | undefined) => {
    if (inner === undefined) return '${';
    if (inner.includes('${')) {
      problems.push({ path, text: NESTED });
      return all;
    }
    const [, name, fallback] = PARTS.exec(inner) ?? [];
    if (name === undefined || end === '') {
      problems.push({ path, text: FORM });
      return all;
    }
    const set = env[name];
    if (set !== undefined && (set !== '' || fallback === undefined)) {
      taken.set(set, name);
      return set;
    }
    if (fallback === undefined) problems.push({ path, text: `the variable ${name} is not set` });
    return fallback ?? '';
  });
}

/** True for plain objects. Modules may contain other objects, such as schemas, which stay unchanged. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Minimum length of values to hide: shorter ones are not secret, and hiding them would garble messages. */
const SHORTEST = 6;

/** Returns a function that replaces secret values in a text by their variable names. */
export function createRedactor(secrets: ReadonlyMap<string, string>): (text: string) => string {
  const known = [...secrets].filter(([value]) => value.length >= SHORTEST).sort(([a], [b]) => b.length - a.length);
  return (text) => known.reduce((rest, [value, name]) => rest.replaceAll(value, `\${${name}}`), text);
}
