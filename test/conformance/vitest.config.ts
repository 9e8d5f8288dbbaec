import { defineConfig } from 'vitest/config';
import { ofSources } from '../../vitest.config.ts';

/** `npm run test:conformance`: fixtures of governed runs, ours and the public ones, and mutants of them. Long, so it is not part of `npm test`. */
export default defineConfig(ofSources(['test/conformance/**/*.test.ts']));
