// Invalid arguments: every call still returns an answer.

import { createRunner, runLoop } from 'parley-hub/governed';
import { expect, it } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { CONFIG, project } from '../serving/project.ts';

itDeep('[GR1] treats null options as absent, and finds no context for a folder that is not text', async () => {
  const root = project();
  const runner = createRunner();
  expect(await runner.initRun(root, CONFIG, null as never)).toMatchObject({ ok: true });
  expect(await runner.assignTurn(root, CONFIG, 'captain', null as never)).toMatchObject({ ok: true });
  expect(await runner.writeDispatchBundle(root, null, CONFIG, null as never)).toMatchObject({ ok: true });
  expect(await runner.acceptTurn(root, CONFIG, null as never)).toMatchObject({ ok: false, error_code: 'not_staged' });
  expect(await runner.markRunBlocked(root, null as never)).toMatchObject({ ok: false, error_code: 'bad_argument' });
  expect(await runner.loadContext(Object.create(null))).toBeNull();
});

it('[GL1] reports options that cannot be read without throwing', async () => {
  const callbacks = { selectRole: () => null, dispatch: async () => ({ accept: false as const, reason: 'no' }) };
  for (const maxTurns of [Symbol('many'), Object.create(null)]) {
    const ended = await runLoop(project(), CONFIG, { ...callbacks, approveGate: () => false }, { maxTurns } as never);
    expect(ended).toMatchObject({ ok: false, errors: [expect.objectContaining({ code: expect.any(String) })] });
  }
});
