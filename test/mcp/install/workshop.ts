/** A temporary home and project with `parley mcp install`, without a terminal. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { installMcp } from '../../../src/cli/joining/mcp.ts';
import type { CommandArgs } from '../../../src/cli/terminal/command.ts';
import { CommandError } from '../../../src/cli/terminal/command-error.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { terminalOf } from '../../../src/cli/terminal/terminal.ts';
import { type Change, prepareInstall, prepareUndo } from '../../../src/mcp/install/install.ts';
import { type Request, resolveRequest, secretFile } from '../../../src/mcp/install/request.ts';
import { type Scope, TOOLS, type Tool } from '../../../src/mcp/install/tools.ts';

export interface Said {
  readonly out: string;
  readonly notes: readonly string[];
  readonly values: readonly Record<string, unknown>[];
}

export const YES = { yes: true } as const;

/** A configuration file as people write it. */
export const JSON_FILE = `// mine
{
    /* kept */
    "theme": "dark", // and this
    "mcpServers": {
        "other": { "command": "x", "env": { "API_TOKEN": "hush" }, },
    },
}
`;

type Given = Readonly<Record<string, string | true | readonly string[]>>;

export class Workshop {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly script: string;
  env: Record<string, string> = {};

  private constructor(root: string) {
    this.root = root;
    this.home = join(root, 'home');
    this.project = join(root, 'project');
    this.script = join(root, 'program', 'cli.js');
  }

  /** A workshop opened by another process. */
  static at(root: string): Workshop {
    return new Workshop(root);
  }

  /** For one test. */
  static async open(): Promise<Workshop> {
    const shop = await Workshop.keep();
    onTestFinished(() => shop.close());
    return shop;
  }

  /** For several tests; the caller closes it. */
  static async keep(): Promise<Workshop> {
    const shop = new Workshop(await mkdtemp(join(tmpdir(), 'parley-install-')));
    await shop.write(shop.script, '');
    await mkdir(shop.home);
    await mkdir(shop.project);
    return shop;
  }

  file(tool: string, scope: Scope = 'user'): string {
    return toolNamed(tool).file(scope, this.places);
  }

  get places() {
    return { home: this.home, project: this.project, script: this.script, env: this.env };
  }

  async run(tool: string, given: Given = {}): Promise<Said> {
    const said: string[] = [];
    const notes: string[] = [];
    const values: Record<string, unknown>[] = [];
    const io: Io = {
      isJson: false,
      terminal: terminalOf({ write: () => {} }, {}),
      // Ignore the data folder of the test environment.
      env: { PARLEY_DATA: join(this.root, 'data'), ...this.env },
      say: (text) => void said.push(text),
      put: (value) => void values.push(value as Record<string, unknown>),
      note: (text) => void notes.push(text),
      progress: () => {
        throw new Error('unexpected progress');
      },
    };
    await installMcp(askedOf(tool, given), io, this.places);
    return { out: said.join('\n'), notes, values };
  }

  /** A planned install for the user, not carried out. */
  async planInstall(
    tool: string,
    values: Record<string, string> = {},
  ): Promise<Change & { readonly request: Request }> {
    const asked = { positionals: {}, values, lists: {}, switches: new Set<string>() };
    const request = await resolveRequest(toolNamed(tool), asked, { env: {} }, this.places);
    return { ...(await prepareInstall(request)), request };
  }

  /** A planned undo for the user, not carried out. */
  planUndo(name: string): Promise<Change> {
    const tool = toolNamed(name);
    const secret = secretFile(tool, 'user', 'parley', this.places);
    return prepareUndo({ tool, scope: 'user', key: 'parley', file: this.file(name) }, secret, this.places);
  }

  /** The refusal of a run. */
  async refusal(tool: string, given: Given = {}): Promise<CommandError> {
    const thrown: unknown = await this.run(tool, given).then(
      () => null,
      (error) => error,
    );
    if (thrown instanceof CommandError) return thrown;
    throw thrown ?? new Error('expected a refusal');
  }

  async write(path: string, text: string | Uint8Array): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }

  read(path: string): Promise<string> {
    return readFile(path, 'utf8');
  }

  /** Paths of all files. */
  async files(): Promise<readonly string[]> {
    const found = await readdir(this.root, { recursive: true, withFileTypes: true });
    return found.filter((one) => !one.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  }

  async close(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

export function toolNamed(wanted: string): Tool {
  const tool = TOOLS.find(({ name }) => name === wanted);
  if (tool === undefined) throw new Error(`there is no tool "${wanted}"`);
  return tool;
}

function askedOf(tool: string, given: Given): CommandArgs {
  const of = (isOne: (value: unknown) => boolean) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => isOne(value)));
  const values = of((value) => typeof value === 'string') as Record<string, string>;
  const lists = of(Array.isArray) as Record<string, readonly string[]>;
  const switches = new Set(Object.keys(given).filter((name) => given[name] === true));
  return { positionals: { action: 'install', ...(tool === '' ? {} : { tool }) }, values, lists, switches };
}
