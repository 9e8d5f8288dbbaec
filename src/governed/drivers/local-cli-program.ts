/** Prepares the program of a CLI turn: command, prompt delivery and environment. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Program } from '../../participants/processes/program.ts';
import { resolveInside } from '../files/safe-path.ts';
import type { DispatchBundle, DriverContext } from './attempt/driver.ts';
import { refuse } from './attempt/failure.ts';
import { expandSettings } from './attempt/settings.ts';

/** `argv` is an alias of `arg`. */
const TRANSPORTS = ['stdin', 'file', 'arg', 'argv', 'dispatch_bundle_only'] as const;

const texts = z.array(z.string());

export interface CommandSettings {
  /** A name or path, or a list that begins with one. Runs without a shell. */
  readonly command: string | readonly string[];
  readonly args: readonly string[];
  /** Working folder in the project (default: its root). */
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

export interface LocalCliSettings extends CommandSettings {
  /** Default: the placeholder found in the arguments, else stdin. */
  readonly prompt_transport?: (typeof TRANSPORTS)[number] | undefined;
  readonly timeout_ms?: number | undefined;
  /** Time limits for the first output and between two outputs (default: none). */
  readonly startup_watchdog_ms?: number | undefined;
  readonly silence_watchdog_ms?: number | undefined;
  readonly max_output_bytes?: number | undefined;
}

export const LOCAL_CLI: z.ZodType<LocalCliSettings> = z.looseObject({
  command: z.union([z.string().min(1), texts.min(1)]),
  args: texts.default([]),
  prompt_transport: z.enum(TRANSPORTS).optional(),
  cwd: z.string().min(1).optional(),
  env: z.record(z.string(), z.string()).default({}),
  timeout_ms: z.number().positive().optional(),
  startup_watchdog_ms: z.number().positive().optional(),
  silence_watchdog_ms: z.number().positive().optional(),
  max_output_bytes: z.number().int().positive().optional(),
});

export interface PreparedProgram {
  readonly program: Program;
  readonly secrets: readonly string[];
  remove(): Promise<void>;
}

export async function prepareProgram(
  bundle: DispatchBundle,
  settings: LocalCliSettings,
  { variables, runtimeId }: Pick<DriverContext, 'variables' | 'runtimeId'>,
): Promise<PreparedProgram> {
  const { texts: env, secrets } = expandSettings(settings.env, variables, `runtimes.${runtimeId}.env`);
  const program = await programFor(bundle, settings, env);
  const prompt = `${bundle.prompt}\n---\n\n${bundle.context}`;
  const { remove, ...delivered } = await deliver(prompt, program.args, transportOf(settings, program.args));
  return { program: { ...program, ...delivered }, secrets, remove };
}

export async function programFor(
  bundle: DispatchBundle,
  settings: CommandSettings,
  env: Readonly<Record<string, string>>,
): Promise<Program> {
  const [command = '', ...first] = typeof settings.command === 'string' ? [settings.command] : settings.command;
  return {
    tool: command,
    command,
    args: [...first, ...settings.args],
    cwd: await workingFolder(bundle.root, settings.cwd),
    env: { ...env, ...turnVariables(bundle) },
  };
}

function turnVariables(bundle: DispatchBundle): Readonly<Record<string, string>> {
  return {
    AGENTXCHAIN_RUN_ID: bundle.run_id,
    AGENTXCHAIN_TURN_ID: bundle.turn_id,
    AGENTXCHAIN_ROLE: bundle.role,
    AGENTXCHAIN_PHASE: bundle.phase,
    AGENTXCHAIN_RUNTIME_ID: bundle.runtime_id,
    AGENTXCHAIN_ATTEMPT: String(bundle.attempt),
    AGENTXCHAIN_PROJECT_ROOT: bundle.root,
    AGENTXCHAIN_DISPATCH_DIR: join(bundle.root, bundle.dispatch_dir),
    AGENTXCHAIN_STAGING_PATH: join(bundle.root, bundle.staging_path),
  };
}

type Transport = Exclude<(typeof TRANSPORTS)[number], 'argv'>;

function transportOf({ prompt_transport: asked }: LocalCliSettings, args: readonly string[]): Transport {
  if (asked !== undefined) return asked === 'argv' ? 'arg' : asked;
  if (args.some((arg) => arg.includes(PROMPT))) return 'arg';
  return args.some((arg) => arg.includes(PROMPT_FILE)) ? 'file' : 'stdin';
}

/** Prompt placeholders in the arguments; the transports `arg` and `file` append an argument if theirs is missing. */
const PROMPT = '{prompt}';
const PROMPT_FILE = '{prompt_file}';

interface Delivered {
  readonly args: readonly string[];
  readonly stdin?: string;
  remove(): Promise<void>;
}

async function deliver(prompt: string, args: readonly string[], transport: Transport): Promise<Delivered> {
  const remove = async (): Promise<void> => {};
  switch (transport) {
    case 'stdin':
      return { args, stdin: prompt, remove };
    case 'dispatch_bundle_only':
      return { args, remove };
    case 'arg':
      return { args: withPlace(args, PROMPT, prompt), remove };
    case 'file':
      return inFile(prompt, args);
  }
}

async function inFile(prompt: string, args: readonly string[]): Promise<Delivered> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-prompt-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, 'PROMPT.md');
    await writeFile(file, prompt, { mode: 0o600, flag: 'wx' });
    return { args: withPlace(args, PROMPT_FILE, file), remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

function withPlace(args: readonly string[], place: string, text: string): readonly string[] {
  if (!args.some((arg) => arg.includes(place))) return [...args, text];
  return args.map((arg) => arg.replaceAll(place, () => text));
}

async function workingFolder(root: string, cwd: string | undefined): Promise<string> {
  if (cwd === undefined || cwd === '.') return root;
  try {
    return await resolveInside(root, cwd.replace(/^\.\//, '').replace(/\/$/, ''));
  } catch {
    return refuse('bad_settings', `cwd: expected a folder of the project, got ${JSON.stringify(cwd)}`);
  }
}
