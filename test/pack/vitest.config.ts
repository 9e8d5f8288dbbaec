import { defineConfig } from 'vitest/config';

/** `npm run test:pack`: checks the tarball as users get it. Slow, so not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/pack/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
