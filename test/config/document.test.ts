// docs/reference/config.md: its files load, and its tables list every setting.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadPlan } from '../../src/config/plan.ts';
import { agentSchema, configSchema, extractSchema, hubSchema, roleSchema } from '../../src/config/shape/schema.ts';
import { read, root } from '../package/repository.ts';
import { configFolder } from './configs.ts';

const text = read('docs/reference/config.md');
const folder = configFolder();
const block = (kind: string): string => new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? '';

function keysOf(schema: unknown): readonly string[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject)) throw new Error('it is no object');
  return Object.keys(inner.shape);
}

function section(heading: string): string {
  return text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
}

describe('docs/reference/config.md', () => {
  beforeAll(async () => {
    await mkdir(join(folder.path, 'roles'));
    await mkdir(join(folder.path, 'project'));
    await writeFile(join(folder.path, 'roles/planner.md'), 'You plan.');
    await folder.write('greeter.json', '["Hello."]');
    await folder.write('claude', '#!/bin/sh\n');
    await import('node:fs/promises').then(({ chmod }) => chmod(join(folder.path, 'claude'), 0o755));
  });

  it('[CF1, CF5] loads its YAML', async () => {
    const bin = process.execPath.replace(/\/[^/]*$/, '');
    const env = { ANTHROPIC_API_KEY: 'test-key', PATH: `${folder.path}:${bin}` };
    const { agents, loaded } = await loadPlan(await folder.write('parley.config.yaml', block('yaml')), env);
    expect(agents.map(({ name, provider }) => `${name} ${provider}`)).toEqual([
      'planner anthropic',
      'local openai',
      'coder claude',
      'linter command',
      'greeter script',
    ]);
    expect(loaded.config.hub).toMatchObject({ port: 4747 });
  });

  it('[CF1] loads its module', async () => {
    // Where the package is not installed.
    const alone = block('ts').replace(
      "import { defineConfig } from 'parley-hub';",
      'const defineConfig = <T>(config: T): T => config;',
    );
    const { config } = await loadConfig(await folder.write('parley.config.ts', alone), {});
    expect(Object.keys(config.agents ?? {})).toEqual(['ann', 'ben']);
  });

  it('[CF5] lists every setting in its tables', () => {
    const named = (heading: string): string[] =>
      [...section(heading).matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const rows = [...section('agents').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(keysOf(agentSchema).toSorted((a, b) => rows.indexOf(a) - rows.indexOf(b)));
    expect(keysOf(hubSchema).filter((key) => !named('hub').includes(key))).toEqual([]);
    const roles = [...keysOf(roleSchema), ...keysOf(extractSchema)];
    expect(roles.filter((key) => !named('roles and extract').includes(key))).toEqual([]);
    expect(keysOf(configSchema).filter((key) => !text.includes(`\n${key}:\n`))).toEqual([]);
  });

  it('[CF1] loads the example without environment variables', async () => {
    const { agents } = await loadPlan(join(root, 'examples/config/parley.config.json'), { PATH: '' });
    expect(agents.map(({ name, description }) => ({ name, description }))).toEqual([
      { name: 'planner', description: undefined },
      { name: 'reviewer', description: 'Says whether a plan is good.' },
    ]);
  });
});
