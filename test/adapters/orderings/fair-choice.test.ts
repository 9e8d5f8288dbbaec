import { describe, expect, it } from 'vitest';
import { type Candidate, fairChoice } from '../../../adapters/orderings/raise-hand.ts';

/** `bob 3 passed 1 spoke 2`. */
function who(line: string): Candidate {
  const [agent_id = '', bid, , passed, , spoke] = line.split(' ');
  return { agent_id, bid: Number(bid), passed: Number(passed), spoke: Number(spoke) };
}

describe('the fair choice', () => {
  it.each<[string, string[], number, string | null]>([
    ['of no candidates is nobody', [], 3, null],
    ['is the highest bid', ['a 1 passed 0 spoke 0', 'b 2 passed 0 spoke 5'], 3, 'b'],
    ['of equal bids is the longest silence', ['a 2 passed 0 spoke 5', 'b 2 passed 0 spoke 4'], 3, 'b'],
    ['of equal candidates is the first place', ['a 2 passed 0 spoke 0', 'b 2 passed 0 spoke 0'], 3, 'a'],
    ['is the candidate that can wait no longer', ['a 9 passed 0 spoke 0', 'b 0 passed 2 spoke 1'], 3, 'b'],
    [
      'among candidates at their limit is the highest bid',
      ['a 9 passed 0 spoke 0', 'b 0 passed 2 spoke 1', 'c 5 passed 2 spoke 2'],
      4,
      'c',
    ],
    [
      'of two overdue candidates with equal waits is the longer silent one',
      ['a 9 passed 3 spoke 8', 'b 0 passed 3 spoke 7'],
      3,
      'b',
    ],
    ['of two overdue candidates is the longest waiting one', ['a 9 passed 3 spoke 1', 'b 0 passed 4 spoke 7'], 3, 'b'],
  ])('[DI8] %s', (_what, lines, active, expected) => {
    expect(fairChoice(lines.map(who), active)?.agent_id ?? null).toBe(expected);
  });
});
