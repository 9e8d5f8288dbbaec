/** A real CLI with a temporary home, a local model, and `parley mcp` set up by `parley mcp install`. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandLine } from '../support/command-line.ts';
import { installed } from './installed-clis.ts';
import { type AgentName, RECIPES, type Recipe } from './recipes.ts';

/** Timeout of a run. */
const PATIENCE_MS = 120_000;
/** Node and system programs. */
export const PATH: string = [dirname(process.execPath), '/usr/bin', '/bin'].join(':');
const PROMPT = 'Take part in the discussion of the parley hub: call wait_turn and do what it says, until it is over.\n';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Arguments for a run with tool calls; the other CLIs only list the server. */
const WORDS: Readonly<Partial<Record<AgentName, readonly string[]>>> = {
  claude: ['-p', '--output-format', 'json', '--model', 'claude-sonnet-4-5', '--allowedTools', 'mcp__parley'],
  codex: ['exec', '--json', '--skip-git-repo-check', '--disable', 'plugins', '--disable', 'apps', '-'],
};

export class RealAgent {
  readonly name: AgentName;
  readonly home: string;
  readonly recipe: Recipe;

  private constructor(name: AgentName, home: string, recipe: Recipe) {
    this.name = name;
    this.home = home;
    this.recipe = recipe;
  }

  static async open(name: AgentName, modelUrl: string): Promise<RealAgent> {
    const agent = new RealAgent(name, await mkdtemp(join(tmpdir(), `parley-${name}-`)), RECIPES[name](modelUrl));
    await mkdir(agent.workspace);
    for (const [path, text] of Object.entries(agent.recipe.files)) {
      await mkdir(dirname(join(agent.home, path)), { recursive: true });
      await writeFile(join(agent.home, path), text);
    }
    return agent;
  }

  get workspace(): string {
    return join(this.home, 'workspace');
  }

  /** Runs `parley mcp install` with a new token. */
  async setUp(line: CommandLine): Promise<string> {
    const [made] = await line.json('token', 'create', '--name', this.name);
    return this.install(line, { PARLEY_TOKEN: String(made?.token) });
  }

  takeDown(line: CommandLine): Promise<string> {
    return this.install(line, {}, '--undo');
  }

  private async install(line: CommandLine, env: NodeJS.ProcessEnv, ...more: readonly string[]): Promise<string> {
    const unset = ['XDG_CONFIG_HOME', 'CODEX_HOME', 'CLAUDE_CONFIG_DIR', 'GEMINI_CLI_HOME', 'PARLEY_NAME'];
    const own = { HOME: this.home, ...Object.fromEntries(unset.map((name) => [name, ''])) };
    const words = ['mcp', 'install', this.name, '--name', this.name, '--yes', ...more];
    const { code, out, err } = await line.run(words, { ...own, ...env });
    if (code !== 0) throw new Error(`parley ${words.join(' ')} ended with ${code}: ${err}`);
    return out;
  }

  version(): Promise<Ran> {
    return this.run(['--version'], '');
  }

  takePart(): Promise<Ran> {
    return this.run(WORDS[this.name] ?? [], PROMPT);
  }

  async run(words: readonly string[], input: string): Promise<Ran> {
    const env = { PATH, HOME: this.home, NO_COLOR: '1', TERM: 'dumb', ...this.recipe.env };
    const child = spawn(await installed(this.name), words, { cwd: this.workspace, env, detached: true });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.stdin.end(input);
    // Kills the process group.
    const watchdog = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), PATIENCE_MS);
    const [code] = await once(child, 'close');
    clearTimeout(watchdog);
    return { code, out, err };
  }

  async close(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}
