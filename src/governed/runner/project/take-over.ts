/** Finds the run of a project for a config: the current run, or a new session that takes over files or another log. */

import { checkConfig, digestOf, type GovernedConfig, phasesOf } from '../../engine/index.ts';
import { isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { rulesOf } from '../../session/index.ts';
import { RunnerRefusal } from '../contract/failure.ts';
import type { RunLog } from '../log/run-log.ts';
import type { OpenRun, Running } from '../log/runner-context.ts';
import { readImportedFiles, saveImportedFiles, stateIn } from './imported-files.ts';
import { readContext } from './load-context.ts';

/** Approximate size of one envelope; far below the limit of a log. */
const MAX_PART_BYTES = 128 * 1024;

/** Default config: that of the run, or else that of the project. Returns null if there is no run. */
export async function runningRun(run: OpenRun, given: unknown): Promise<Running | null> {
  const { current } = run.logs;
  const config = given === undefined ? await configOf(run, current) : checkedConfig(given);
  if (current === null) {
    const found = await readImportedFiles(run.root);
    if (found === null) return null;
    // Validate before writing, so that an invalid state file stays untouched.
    stateIn(found.state);
    await saveImportedFiles(run.root, found);
    return { ...run, config, log: await imported(run, config, found) };
  }
  const isOver = current.record.state.run.status === 'completed';
  if (isOver || (current.isOpen && isSame(current, config))) return { ...run, config, log: current };
  return { ...run, config, log: await goneOn(run, config, current) };
}

/** Arguments of most operations. */
export interface OperationArgs<Options> {
  readonly config: unknown;
  readonly options?: Options;
}

export async function requireRun(run: OpenRun, given?: unknown): Promise<Running> {
  const found = await runningRun(run, given);
  if (found !== null) return found;
  throw new RunnerRefusal('no_run', `${run.root} has no run; begin one with initRun`);
}

export function checkedConfig(given: unknown): GovernedConfig {
  const checked = checkConfig(given);
  if (checked.ok) return checked.config;
  const [{ message, error_type, error_field }] = checked.faults;
  const details = { error_field: error_field ?? null, faults: checked.faults };
  throw new RunnerRefusal('invalid_config', `config: ${message}`, { error_type, details });
}

async function configOf({ root }: OpenRun, current: RunLog | null): Promise<GovernedConfig> {
  if (current !== null) return rulesOf(current.metadata).config;
  const context = await readContext(root);
  if (context !== null) return context.config;
  throw new RunnerRefusal('no_config', `${root}: agentxchain.json is missing or invalid`);
}

function isSame({ metadata }: RunLog, config: GovernedConfig): boolean {
  // A digest ignores key order, which is the order of phases, so include the phases.
  const digest = (one: GovernedConfig) => digestOf([one, phasesOf(one)]);
  return digest(rulesOf(metadata).config) === digest(config);
}

/** Continues a run in a new session, because its config changed or its session ended. */
async function goneOn(run: OpenRun, config: GovernedConfig, before: RunLog): Promise<RunLog> {
  const { state, history, ledger } = before.record;
  const named = (key: string) => (entry: object) => typeof (entry as UnknownRecord)[key] === 'string';
  return imported(run, config, {
    state: state.run,
    history: history.filter(named('turn_id')),
    ledger: ledger.filter(named('id')),
  });
}

interface ToImport {
  readonly state: unknown;
  readonly history: readonly object[];
  readonly ledger: readonly object[];
}

/** Posts long imports in parts; an interrupted import is ignored and repeated. */
export async function imported(run: OpenRun, config: GovernedConfig, found: ToImport): Promise<RunLog> {
  const log = await run.logs.begin(config);
  const parts = partsOf(found);
  for (const [at, part] of parts.entries()) {
    const more = at < parts.length - 1;
    await log.post('governed.imported', { ...part, ...(more ? { more } : {}) });
  }
  return log;
}

function partsOf({ state, history, ledger }: ToImport): readonly UnknownRecord[] {
  const parts: { history: object[]; ledger: object[] }[] = [{ history: [], ledger: [] }];
  let bytes = 0;
  const add = (kind: 'history' | 'ledger') => (entry: object) => {
    bytes += JSON.stringify(entry).length;
    if (bytes > MAX_PART_BYTES) {
      parts.push({ history: [], ledger: [] });
      bytes = 0;
    }
    parts.at(-1)?.[kind].push(entry);
  };
  history.forEach(add('history'));
  ledger.forEach(add('ledger'));
  return parts.map((part, at) => (at === 0 ? { state: isRecord(state) ? state : {}, ...part } : part));
}
