// What a participant shows of a turn: each piece is looked at once, and programs get few objects for many pieces.

import { SimClock } from 'parley-hub/testing';
import { expect, it } from 'vitest';
import { TurnDisplay } from '../../src/cli/joining/turn-display.ts';
import type { Io } from '../../src/cli/terminal/io.ts';
import type { AgentTurn } from '../../src/participants/joining/handlers.ts';

function shown() {
  const clock = new SimClock();
  const lines: string[] = [];
  const put: { readonly event: string; readonly text?: string }[] = [];
  const terminal = { paint: (text: string) => text };
  const io = { terminal, say: (text: string) => lines.push(text), put: (value: never) => put.push(value) };
  const display = new TurnDisplay(io as unknown as Io, 'bob', clock);
  const turn = { session: { id: 's-123456' }, type: 'consulting', seq: 1, from: 'alice', text: 'why?' };
  const taken = { ...turn, idempotencyKey: 'k', resumed: false } as unknown as AgentTurn;
  display.onTurn(taken);
  return { clock, lines, put, display, taken };
}

it('[PA15] shows whole lines at once and half of one after a while, each once', () => {
  const { clock, lines, display, taken } = shown();
  lines.length = 0;
  for (const piece of ['on', 'e\ntw', 'o\n\nth']) display.onDelta(piece, taken);
  expect(lines).toEqual(['[123456] | one', '[123456] | two', '[123456] | ']);
  clock.advance(250);
  expect(lines.at(-1)).toBe('[123456] | th');
  display.onDelta('ree', taken);
  display.onReply({ text: 'one\ntwo\n\nthree' }, taken, { seq: 2 } as never);
  expect(lines.slice(4)).toEqual(['[123456] | ree', expect.stringContaining('✓ posted')]);
});

it('[PA15] shows no empty line where a line ends that was shown before its end came', () => {
  const { clock, lines, display, taken } = shown();
  lines.length = 0;
  for (const piece of ['one', '\ntwo', '\n', '\n\nthree']) {
    display.onDelta(piece, taken);
    clock.advance(250);
  }
  const own = lines.map((line) => line.replace('[123456] ', ''));
  expect(own).toEqual(['| one', '| two', '| ', '| ', '| three']);
});

it('[PA15] many pieces are few objects for programs, with all of the text, before what comes next', () => {
  const { clock, put, display, taken } = shown();
  for (let count = 0; count < 10_000; count += 1) display.onDelta('y', taken);
  clock.advance(100);
  display.onDelta('z', taken);
  display.onDelta('!', taken);
  display.onProgress({ kind: 'note', text: 'x' }, taken);
  const deltas = put.filter(({ event }) => event === 'delta').map(({ text }) => text);
  expect(deltas).toEqual(['y', 'y'.repeat(9_999), 'z', '!']);
  expect(put.at(-1)?.event).toBe('progress');
});
