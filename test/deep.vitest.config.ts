// `npm run test:deep`: the same tests with their long forms. Only files whose size differs run again.

import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { ofSources } from '../vitest.config.ts';
import { sources } from './package/repository.ts';

const isSized = (file: string): boolean =>
  file.endsWith('.test.ts') &&
  !/^test\/(console|conformance|pack|real-clis)\//.test(file) &&
  /support\/size\.ts'/.test(readFileSync(file, 'utf8'));
const suite = ofSources(sources('test').filter(isSized));

export default defineConfig({ ...suite, test: { ...suite.test, env: { PARLEY_DEEP: '1' }, testTimeout: 120_000 } });
