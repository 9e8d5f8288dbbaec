// Six processes accept the same turn concurrently, many times.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltScript, builtScript } from '../../support/built-script.ts';
import { runs } from '../../support/size.ts';
import { Child } from './children.ts';
import { bookFaults, decision, Project } from './project.ts';

const PROCESSES = 6;
const ROUNDS = runs(50, 8);

let script: BuiltScript;
beforeAll(async () => {
  script = await builtScript('test/governed/runner/child.ts');
}, 60_000);
afterAll(() => script.remove());

it('[GR4] accepts the turn once and answers turn_already_accepted to five of six', async () => {
  const project = new Project();
  const children = await Promise.all(Array.from({ length: PROCESSES }, () => Child.ready(script.path)));
  try {
    await project.init();
    for (let round = 1; round <= ROUNDS; round++) {
      const turn = await project.assign('pm');
      await project.stage(turn, { decisions: [decision(`DEC-${round}`)] });
      const { root, config } = project;
      for (const child of children) child.tell({ root, config, turnId: turn.turn_id });
      const answers = await Promise.all(children.map((child) => child.answer()));
      const refusals = answers.filter(({ ok }) => !ok).map(({ error_code }) => error_code);
      expect(refusals).toEqual(Array(PROCESSES - 1).fill('turn_already_accepted'));
    }
    expect(bookFaults(project)).toEqual([]);
    expect(project.book('history')).toHaveLength(ROUNDS);
    expect(project.book('decision-ledger')).toHaveLength(ROUNDS);
    expect(project.events.filter((type) => type === 'turn_accepted')).toHaveLength(ROUNDS);
    expect(project.state).toMatchObject({ accepted_sequence: ROUNDS, active_turns: {} });
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    project.remove();
  }
}, 240_000);
