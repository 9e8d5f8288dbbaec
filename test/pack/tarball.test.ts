// The package as users get it: the packed tarball installs, type-checks, runs, and lets them prove their own adapter.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { required, root, run, sources } from '../package/repository.ts';
import { type Consumer, createConsumer, registryAnswers } from './consumer.ts';
import { foreignImports } from './declarations.ts';

const goodAdapter = `
import { type Envelope, ProtocolError, type SessionAdapter } from 'parley-hub/core';

interface Count { readonly said: number }

export const counter: SessionAdapter<Count> = {
  manifest: {
    type: 'counter',
    version: 1,
    participants: { min: 1, max: null, roles: ['member'] },
    knobs_schema: { type: 'object', properties: {} },
    default_view: { name: 'full', params: {} },
    expectations: [],
  },
  initialState: () => ({ said: 0 }),
  validateCreate() {},
  validateSend(_metadata, draft) {
    if (draft.event_type === 'msg.packet' || draft.event_type === 'context.set') throw new ProtocolError('texts only');
  },
  fold: (envelope: Envelope, state) => (envelope.event_type === 'msg.text' ? { said: state.said + 1 } : state),
  onAccepted: () => ({}),
};
`;

const impureFold = `fold: (_envelope: Envelope, state) => Object.assign(state, { said: Math.random() })`;

const suite = `
import { describeAdapter } from 'parley-hub/testing';
import { counter } from './counter.ts';

describeAdapter(counter, { name: 'counter' });
`;

const extensions = ['adapters', 'views', 'expectations'].flatMap((folder) =>
  sources(folder).map((file) => `parley-hub/${file.replace(/\.ts$/, '')}`),
);
const modules = ['parley-hub', 'parley-hub/core', 'parley-hub/client', 'parley-hub/node', ...extensions];

const imports = `
${modules.map((name, at) => `import * as module${at} from '${name}';`).join('\n')}
import { counter } from './counter.ts';

export const all: object[] = [${modules.map((_, at) => `module${at}`).join(', ')}, counter];
`;

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  strict: true,
  types: [],
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
};

const skip = !required('registry') && !(await registryAnswers());

describe.skipIf(skip)('[PK5] the packed tarball', () => {
  let consumer: Consumer;

  beforeAll(async () => {
    consumer = await createConsumer();
    consumer.write('counter.ts', goodAdapter);
    consumer.write('imports.ts', imports);
    consumer.write('counter.test.ts', suite);
    consumer.write('wrong/counter.ts', goodAdapter.replace(/fold: .*/, `${impureFold},`));
    consumer.write('wrong/counter.test.ts', suite);
    consumer.write('tsconfig.json', { compilerOptions, files: ['imports.ts'] });
    // vitest's declarations need more than an empty project has.
    const lenient = { ...compilerOptions, skipLibCheck: true };
    consumer.write('tsconfig.testing.json', { compilerOptions: lenient, files: ['counter.test.ts'] });
  });
  afterAll(() => consumer?.remove());

  it('is well formed', async () => {
    const publint = join(root, 'node_modules/publint/src/cli.js');
    expect(await run(process.execPath, [publint, consumer.tarball, '--strict'])).toMatchObject({ code: 0 });
  });

  it('has types that resolve', async () => {
    const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const args = [attw, consumer.tarball, '--profile', 'esm-only', '--format', 'ascii'];
    expect(await run(process.execPath, args)).toMatchObject({ code: 0 });
  });

  it('exposes no types of its libraries', () => {
    expect(foreignImports(consumer.installed)).toEqual([]);
  });

  it.each(['tsconfig.json', 'tsconfig.testing.json'])(
    'type-checks in a project without Node types: %s',
    async (config) => {
      expect(await consumer.run('tsc', '-p', config)).toEqual({ code: 0, output: '' });
    },
  );

  it('brings the command', async () => {
    expect(await consumer.run('parley', '--help')).toMatchObject({ code: 0 });
  });

  it('proves an adapter of a third party', async () => {
    expect(await consumer.run('vitest', 'run', 'counter.test.ts', '--exclude', 'wrong/**')).toMatchObject({ code: 0 });
  });

  it('finds a third-party adapter that is not pure', async () => {
    const { code, output } = await consumer.run('vitest', 'run', 'wrong/counter.test.ts');
    expect({ code, failed: /Tests .*failed/.test(output) }, output).toEqual({ code: 1, failed: true });
  });
});
