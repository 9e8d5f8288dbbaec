import { defineConfig } from 'vitest/config';
import { ofSources } from '../../vitest.config.ts';

/** `npm run test:browser`: the console and the client in a real browser. Without Chromium most tests are skipped. */
export default defineConfig(ofSources(['test/console/**/*.test.ts', 'test/client/web/**/*.test.ts']));
