import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests read the sources: the package's own name resolves by this condition (vite replaces its defaults). */
const conditions = ['parley-source', ...defaultServerConditions.filter(isOfNode)];

/** Packages are loaded by Node itself: what "module" leads to is for bundlers. */
function isOfNode(condition: string): boolean {
  return condition !== 'module';
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/pack/**', 'test/real-clis/**'],
    pool: 'threads',
    // One more than there are processors: many tests wait for processes and sockets.
    maxWorkers: Math.max(2, availableParallelism() + 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
