/** What it is called when a hook changes what it may not. */

export type TamperCode =
  | 'hook_state_tamper'
  | 'hook_history_tamper'
  | 'hook_ledger_tamper'
  | 'hook_audit_tamper'
  | 'hook_bundle_tamper'
  | 'hook_protected_tamper';

const CODES: readonly (readonly [RegExp, TamperCode])[] = [
  [/^\.agentxchain(\/state\.json)?$/, 'hook_state_tamper'],
  [/^\.agentxchain\/history\.jsonl$/, 'hook_history_tamper'],
  [/^\.agentxchain\/decision-ledger\.jsonl$/, 'hook_ledger_tamper'],
  [/(^|\/)hook-(audit|annotations)\.jsonl$/, 'hook_audit_tamper'],
  [/^\.agentxchain\/dispatch\//, 'hook_bundle_tamper'],
];

/** The gravest of them: the order of the table. */
export function tamperCode(paths: readonly string[]): TamperCode {
  return CODES.find(([pattern]) => paths.some((path) => pattern.test(path)))?.[1] ?? 'hook_protected_tamper';
}
