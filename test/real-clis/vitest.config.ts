import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

const conditions = ['parley-source', ...defaultServerConditions.filter((condition) => condition !== 'module')];

/** `npm run test:clis`: the real tools, from the npm registry. Some hundred MB each, so it is not part of `npm test`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/real-clis/**/*.test.ts'],
    fileParallelism: false,
    disableConsoleIntercept: true,
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
