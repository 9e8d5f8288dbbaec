// A user's project: an empty folder with the packed tarball installed.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { type Ended, root, run, withoutNpm } from '../package/repository.ts';

export interface Consumer {
  readonly tarball: string;
  /** Where the package is installed. */
  readonly installed: string;
  write(path: string, content: string | object): void;
  /** Runs a tool of the project. */
  run(tool: string, ...args: string[]): Promise<Ended>;
  remove(): void;
}

/** Packs the repository (which builds it first) and installs the result, like `npm install parley-hub`. */
export async function createConsumer(): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-consumer-'));
  const packed = join(folder, 'packed');
  const project = join(folder, 'project');
  mkdirSync(packed);
  mkdirSync(project);

  await npm(root, 'pack', '--pack-destination', packed);
  const [file = ''] = readdirSync(packed);
  const tarball = join(packed, file);

  const { vitest, typescript } = manifest.devDependencies;
  const dependencies = { 'parley-hub': `file:${tarball}`, vitest, typescript };
  const consumer: Consumer = {
    tarball,
    installed: join(project, 'node_modules', manifest.name),
    write(path, content) {
      const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    },
    run: (tool, ...args) => run(join(project, 'node_modules/.bin', tool), args, { cwd: project, env: withoutNpm() }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  consumer.write('package.json', { name: 'consumer', private: true, type: 'module', dependencies });
  await npm(project, 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
  return consumer;
}

export async function registryAnswers(): Promise<boolean> {
  const { code } = await run('npm', ['view', 'vitest', 'name', '--fetch-retries=0'], { env: withoutNpm() });
  return code === 0;
}

async function npm(cwd: string, ...args: string[]): Promise<void> {
  const { code, output } = await run('npm', args, { cwd, env: withoutNpm() });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} exited with code ${code}:\n${output}`);
}
