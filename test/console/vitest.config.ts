import { defineConfig, mergeConfig } from 'vitest/config';
import { ofSources } from '../../vitest.config.ts';

/**
 * `npm run test:browser`: the console and the client in a real browser. Without Chromium most tests are skipped.
 * A browser on two busy cores can miss a time limit, so CI runs a failed test once more: a test that fails twice is broken.
 */
export default mergeConfig(
  ofSources(['test/console/**/*.test.ts', 'test/client/web/**/*.test.ts']),
  defineConfig({ test: { retry: process.env.CI === undefined ? 0 : 1 } }),
);
