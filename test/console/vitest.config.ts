import { defineConfig } from 'vitest/config';
import { ofSources } from '../../vitest.config.ts';

/** `npm run test:browser`: the console and the client in a real browser. Without one most of it is skipped, and says so. */
export default defineConfig(ofSources(['test/console/**/*.test.ts', 'test/client/web/**/*.test.ts']));
