import { expect, it } from 'vitest';
import { emptyResume, hasCapability, nextResume } from '../../../src/core/records/identity/resume-schema.ts';

it('[ID7] finds claimed and observed capabilities in any case', () => {
  const seen = { n: 1, completed: 1, failed: 0, expired: 0, p50_latency_ms: 5 };
  const resume = { ...emptyResume('id-bob'), claimed_capabilities: ['Review'], observed: { Translate: seen } };
  expect(['review', 'TRANSLATE', 'trans', 'code'].map((wanted) => hasCapability(resume, wanted))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('[ID1] keeps empty values that were set explicitly', () => {
  const first = nextResume(emptyResume('id-bob'), { summary: 'I read.', domains: ['rust'] }, 'then');
  const second = nextResume(first, { summary: '', domains: [] }, 'now');
  expect(second).toEqual({ ...emptyResume('id-bob'), version: 2, last_updated: 'now' });
});
