// Every example runs, asserts for itself, and is what the README shows.

import { join } from 'node:path';
import { describeAdapter, describeEvaluator, describeHandler, describeView } from 'parley-hub/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { read, root, run, sources } from './package/repository.ts';
import { type BuiltScripts, builtScripts } from './support/built-script.ts';

/** Shared parts of examples are no examples. */
const examples = sources('examples').filter((file) => !file.startsWith('examples/shared/'));
const LOADER = ['--conditions=parley-source', '--import', 'tsx'];

describe('the examples', () => {
  let built: BuiltScripts;
  beforeAll(async () => {
    built = await builtScripts(examples.map((file) => join(root, file)));
  });
  afterAll(() => built.remove());

  it.concurrent.each(examples)('[PK6] %s runs, asserts and ends by itself', async (file) => {
    // One that starts what is beside it is run from where it is.
    const args = read(file).includes('import.meta.url')
      ? [...LOADER, file]
      : [built.paths[examples.indexOf(file)] ?? ''];
    const { code, output } = await run(process.execPath, args);
    expect(code, output).toBe(0);
    expect(output.trim()).not.toBe('');
    expect(read(file)).toContain('assert.');
  });

  it('[PK6] one runs as npm run example runs it', async () => {
    const { code, output } = await run(process.execPath, [...LOADER, 'examples/quickstart.ts']);
    expect(code, output).toBe(0);
  });

  it('[PK6] an example that finds something else than it says exits with another code than 0', async () => {
    const wrong = read('examples/quickstart.ts').replace("reply('4')", "reply('5')");
    const args = [...LOADER, '--input-type=module', '--eval', wrong];
    const { code, output } = await run(process.execPath, args, { cwd: root });
    expect(code, output).toBe(1);
    expect(output).toContain('AssertionError');
  });

  it('[PK6] each begins with one sentence on what it shows', () => {
    const firstLines = examples.map((file) => read(file).split('\n')[0]);
    expect(firstLines.filter((line) => !/^\/\*\* [A-Z].*\. \*\/$/.test(line ?? ''))).toEqual([]);
  });

  it('[PK6] the quickstart stays under 30 lines', () => {
    expect(read('examples/quickstart.ts').trimEnd().split('\n').length).toBeLessThan(30);
  });
});

describe('the session types of the examples', async () => {
  const { haiku } = await import('../examples/haiku.ts');
  const { auction } = await import('../examples/custom-adapter.ts');
  describeAdapter(haiku);
  describeAdapter(auction, {
    drafts: ({ random }) => [
      { event_type: 'bid', event_data: { amount: random.below(40) } },
      { event_type: 'pass', event_data: {} },
    ],
    badCreates: [{ knobs: { reserve: -1 } }],
  });

  it('[AD2] one is made of the six members of the protocol, with a fold of two arguments', () => {
    expect(Object.keys(auction)).toEqual([
      'manifest',
      'initialState',
      'validateCreate',
      'validateSend',
      'fold',
      'onAccepted',
    ]);
    expect(auction.fold).toHaveLength(2);
  });
});

describe('the expectation of the examples', async () => {
  const { callTime, doneWithin } = await import('../examples/custom-expectation.ts');
  describeEvaluator(doneWithin, { params: [{ seconds: 1 }], badParams: [{}, { seconds: -1 }] });
  describeHandler(callTime);
});

describe('the view of the examples', async () => {
  const { numbered } = await import('../examples/custom-view.ts');
  describeView(numbered, { params: [{}, { last: 1 }, { last: 3 }], badParams: [{ last: 0 }, { last: '3' }] });
});
