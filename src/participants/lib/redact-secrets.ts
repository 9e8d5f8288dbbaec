/** Removes keys, tokens and passwords from text and errors. Pure. */

const HIDDEN = '[secret]';

/** Credential shapes. Each pattern is linear: no part can match in two ways. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  // Keeps the id of a hub token, which is not secret.
  [/\b(parley_[0-9a-f]{16}_)[A-Za-z0-9_-]{16,}/g, `$1${HIDDEN}`],
  [/\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g, HIDDEN],
  [/\b(?:sk|pk|rk)-[A-Za-z0-9_-]{6,}/g, HIDDEN],
  [/\bAIza[A-Za-z0-9_-]{16,}/g, HIDDEN],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|gsk_|xai-|AKIA|ASIA)[A-Za-z0-9_-]{10,}/g, HIDDEN],
  [/\b((?:Bearer|Basic) +)[A-Za-z0-9._~+/=-]{6,}/gi, `$1${HIDDEN}`],
  [/(:\/\/[^\s:/@]{0,256}:)[^\s/@]{1,512}(?=@)/g, `$1${HIDDEN}`],
];

/** `api_key: "…"`, `x-api-key=…`, `"password":"…"`: the name marks the value as secret. */
const NAMED =
  /\b((?:[A-Za-z0-9]{1,32}[_-]){0,4}(?:api[_-]?key|apikey|secret|password|passwd|passphrase|access[_-]?token|auth[_-]?token|refresh[_-]?token|credentials?)["']?\s{0,4}[:=]\s{0,4}["']?)([^\s"',;&]{4,})/gi;

/** In `invalid_api_key: Incorrect API key …` the name is an error code, followed by a sentence. */
const VERDICT = /^(?:invalid|incorrect|missing|wrong|expired|unknown)[_-].*:\s+$/i;
const WORD = /^[A-Z]?[a-z]+$/;
const NEXT_WORD = /^ [A-Za-z]/;

/** Variable names whose values are secret. */
const SECRET_NAME =
  /(?:^|_)(?:API_?)?(?:KEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT)(?:_|$)/i;
/** Shorter values (`1`, `true`, `none`) are not secret; hiding them would spoil the text. */
const SHORTEST_SECRET = 6;

/** The secret values of an environment, longest first so that a shorter one does not hide only part of a longer one. */
export function findSecrets(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST_SECRET && SECRET_NAME.test(name) ? [value] : [],
  );
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

/** Hides the given secrets and anything that looks like a credential. */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  const known = secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, HIDDEN)), text);
  const shaped = SHAPES.reduce((rest, [shape, instead]) => rest.replace(shape, instead), known);
  return shaped.replace(NAMED, (found: string, name: string, value: string, at: number, whole: string) => {
    const end = at + found.length;
    const isSentence = VERDICT.test(name) && WORD.test(value) && NEXT_WORD.test(whole.slice(end, end + 2));
    return isSentence ? found : `${name}${HIDDEN}`;
  });
}

/** The error itself if it holds no secret; otherwise a copy with name, kind and code but a redacted message. */
export function redactError(error: Error): Error {
  const message = redactSecrets(error.message);
  if (message === error.message) return error;
  // The stack and cause would repeat the secret.
  const shown = new Error(message);
  shown.name = error.name;
  const kind = 'kind' in error && typeof error.kind === 'string' ? { kind: error.kind } : {};
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return Object.assign(shown, kind, code);
}
