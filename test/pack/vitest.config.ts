import { defineConfig } from 'vitest/config';

/** `npm run test:pack`: what a stranger gets from the tarball. Slow, so it is not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/pack/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
