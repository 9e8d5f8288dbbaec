import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests read the sources: the package's own name resolves by this condition (vite replaces its defaults). */
const conditions = ['parley-source', ...defaultServerConditions.filter(isOfNode)];

/** Packages are loaded by Node itself: what "module" leads to is for bundlers. */
function isOfNode(condition: string): boolean {
  return condition !== 'module';
}

/** Separate suites, each with a command and a config in its folder. */
const APART = ['test/pack/**', 'test/real-clis/**', 'test/conformance/**', 'test/console/**', 'test/client/web/**'];

/** The settings of every suite that reads the sources. */
export const ofSources = (include: string[], exclude: string[] = []): ViteUserConfig => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    globalSetup: ['test/support/shared-scripts.ts'],
    pool: 'threads',
    // One more than there are processors: many tests wait for processes and sockets.
    maxWorkers: Math.max(2, availableParallelism() + 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

/** Each worker loads the code under test of these folders once, not once per file: none of it keeps state. */
export const TOGETHER: readonly string[] = [
  ...['adapters', 'client', 'core', 'expectations', 'governed/coordinator', 'governed/engine', 'hub'],
  ...['participants/agent', 'participants/budget', 'participants/joining', 'participants/roles'],
  ...['simulation', 'store', 'views'],
].map((folder) => `test/${folder}/**/*.test.ts`);

/** Of those, what changes the worker it runs in, starts processes, or shares a part that tidies up after each test. */
export const NOT_TOGETHER: readonly string[] = [
  'test/governed/engine/traps-faces.test.ts',
  'test/system/system-clock.test.ts',
  'test/store/journal/real-files.test.ts',
  'test/participants/joining/unread-turn.test.ts',
  'test/participants/roles/models.test.ts',
  'test/store/second-hub.test.ts',
];

/** Files that take much longer than their length suggests. */
const LONG = /\/(simulation|torture)\/|\/(kill-loop|spoilt-index|start|killed|kill|race)\.test\.ts$/;

/** Long files begin first, so that no worker waits for them at the end; files that share a worker stay together. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      (project.config.isolate ? 0 : 2) + (LONG.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

function part(name: string, isolate: boolean, suite: ViteUserConfig): TestProjectInlineConfiguration {
  return { ...suite, test: { ...suite.test, name, isolate } };
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      part('alone', true, ofSources(['test/**/*.test.ts'], [...APART, ...TOGETHER])),
      part('not together', true, ofSources([...NOT_TOGETHER])),
      part('together', false, ofSources([...TOGETHER], [...APART, ...NOT_TOGETHER])),
    ],
  },
});
