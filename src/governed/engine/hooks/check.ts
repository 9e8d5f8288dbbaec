/** Checks hook declarations; reports every fault with its field. */

import { type ConfigFault, invalid } from '../lib/findings.ts';
import { ROLE_ID } from '../lib/patterns.ts';
import { isMissing, isNonEmptyText, isOneOf, isRecord, repeatedIn, type UnknownRecord } from '../lib/unknown-record.ts';
import { ADVISORY_PHASES, HOOK_MODES, HOOK_PHASES, HOOK_TIMEOUT_MS, MAX_HOOKS_PER_PHASE } from './hook.ts';

/** True if the variable is set. Without this function, variables are not checked. */
type HasVariable = (name: string) => boolean;

export function validateHooks(hooks: unknown, hasVariable: HasVariable = () => true): readonly ConfigFault[] {
  if (isMissing(hooks)) return [];
  if (!isRecord(hooks)) return [invalid('hooks', 'an object')];
  return Object.entries(hooks).flatMap(([phase, list]) => phaseFaults(phase, list, hasVariable));
}

function phaseFaults(phase: string, list: unknown, hasVariable: HasVariable): readonly ConfigFault[] {
  const place = `hooks.${phase}`;
  if (!isOneOf(HOOK_PHASES, phase)) return [invalid(place, `one of ${HOOK_PHASES.join(', ')}`)];
  if (!Array.isArray(list)) return [invalid(place, 'a list')];
  const names = list.map((hook) => (isRecord(hook) && typeof hook.name === 'string' ? hook.name : ''));
  return [
    ...(list.length > MAX_HOOKS_PER_PHASE ? [invalid(place, `at most ${MAX_HOOKS_PER_PHASE} hooks`)] : []),
    ...repeatedIn(names.filter((name) => name !== '')).map((name) => invalid(place, `one hook named ${name}`)),
    ...list.flatMap((hook, at) => validateHook(hook, `${place}[${at}]`, phase, hasVariable)),
  ];
}

/** `phase` determines only whether the hook may block. */
export function validateHook(
  hook: unknown,
  place: string,
  phase: string,
  hasVariable: HasVariable = () => true,
): readonly ConfigFault[] {
  if (!isRecord(hook)) return [invalid(place, 'an object')];
  const { name, mode, timeout_ms } = hook;
  const { least, most } = HOOK_TIMEOUT_MS;
  return [
    ...unless(typeof name === 'string' && ROLE_ID.test(name), `${place}.name`, 'a-z, 0-9, _ and -'),
    ...unless(isOneOf(HOOK_MODES, mode), `${place}.mode`, HOOK_MODES.join(' or ')),
    ...unless(
      mode !== 'blocking' || !ADVISORY_PHASES.includes(phase),
      `${place}.mode`,
      `advisory: at ${phase} there is nothing left to stop`,
    ),
    ...unless(
      Number.isInteger(timeout_ms) && Number(timeout_ms) >= least && Number(timeout_ms) <= most,
      `${place}.timeout_ms`,
      `an integer from ${least} to ${most}`,
    ),
    ...transportFaults(hook, place, hasVariable),
  ];
}

function transportFaults(hook: UnknownRecord, place: string, hasVariable: HasVariable): readonly ConfigFault[] {
  if (hook.type === 'process') {
    return [
      ...unless(isCommand(hook.command), `${place}.command`, 'a list of texts: a program and its arguments'),
      ...textsFaults(hook.env, `${place}.env`, hasVariable),
    ];
  }
  if (hook.type === 'http') {
    return [
      ...unless(isNonEmptyText(hook.url) && /^https?:\/\/[^/]/i.test(hook.url), `${place}.url`, 'an http or https URL'),
      ...unless(isMissing(hook.method) || hook.method === 'POST', `${place}.method`, 'POST'),
      ...textsFaults(hook.headers, `${place}.headers`, hasVariable),
    ];
  }
  return [invalid(`${place}.type`, 'process or http')];
}

function isCommand(command: unknown): boolean {
  return Array.isArray(command) && isNonEmptyText(command[0]) && command.every((part) => typeof part === 'string');
}

function textsFaults(texts: unknown, place: string, hasVariable: HasVariable): readonly ConfigFault[] {
  if (isMissing(texts)) return [];
  if (!isRecord(texts)) return [invalid(place, 'an object')];
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text !== 'string') return [invalid(`${place}.${name}`, 'a text')];
    return findVariables(text)
      .filter((variable) => !hasVariable(variable))
      .map((variable) => invalid(`${place}.${name}`, `the variable ${variable} to be set`));
  });
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function findVariables(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** Replaces variables once; does not expand the substituted values again. */
export function withVariables(text: string, held: (name: string) => string): string {
  return text.replace(VARIABLE, (_, name: string) => held(name));
}

function unless(isRight: boolean, place: string, expected: string): readonly ConfigFault[] {
  return isRight ? [] : [invalid(place, expected)];
}
