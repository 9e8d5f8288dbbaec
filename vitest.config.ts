import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

/** Tests read the sources: the package's own name resolves by this condition (vite replaces its defaults). */
const conditions = ['parley-source', ...defaultServerConditions.filter(isOfNode)];

/** Packages are loaded by Node itself: what "module" leads to is for bundlers. */
function isOfNode(condition: string): boolean {
  return condition !== 'module';
}

/** Suites of their own, each with a command and a config in its folder. */
const APART = ['test/pack/**', 'test/real-clis/**', 'test/conformance/**', 'test/console/**', 'test/web/**'];

/** The settings of every suite that reads the sources. */
export const ofSources = (include: string[], exclude: string[] = []): ViteUserConfig => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    pool: 'threads',
    // One more than there are processors: many tests wait for processes and sockets.
    maxWorkers: Math.max(2, availableParallelism() + 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

export default defineConfig(ofSources(['test/**/*.test.ts'], APART));
