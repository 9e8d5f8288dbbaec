import fc from 'fast-check';
import { callTool, handoff, type Json, type JsonObject, type RoundDraft } from 'parley-hub/core';
import { noProgress } from 'parley-hub/expectations/no-progress';
import { createdMetadata, draftOf, idOf } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { discussion } from '../../adapters/discussion.ts';
import { normalText } from '../../expectations/parts/content.ts';
import { stamped } from '../../src/testing/lib/history.ts';

const metadata = createdMetadata(discussion, { participants: 3 });

/** The indexes of the violating messages. */
function found(repeats: number, said: readonly (readonly [string, string | RoundDraft])[]): readonly number[] {
  let tally: Json | null = null;
  const params: JsonObject = { repeats };
  return said.flatMap(([name, what], i) => {
    const round = typeof what === 'string' ? { event_type: 'msg.text', event_data: { text: what } } : what;
    const envelope = stamped(draftOf(idOf(name), round), null);
    const before = tally;
    tally = noProgress.fold(tally, { envelope, metadata, params });
    const context = { envelope, metadata, params, before, tally, turn: null, pacing: {} as never, adapter_state: null };
    return noProgress.violators(context).length > 0 ? [i] : [];
  });
}

const by =
  (name: string) =>
  (text: string | RoundDraft): readonly [string, string | RoundDraft] => [name, text];

describe('no_progress', () => {
  it('[EX23] ignores letter forms, numbers and spaces', () => {
    const same = ['Retry 1 of 10', ' retry  22 of 3\n', 'ＲＥＴＲＹ\t٣ of ٤٥', 'reTRY 0 OF 0'];
    expect(new Set(same.map(normalText))).toEqual(new Set(['retry 0 of 0']));
    expect(normalText('ﬁnal ① ½')).toBe('final 0 0⁄0');
    expect(normalText('retry of 1')).not.toBe(normalText('retry 1 of 1'));
  });

  it('[EX23] compares a limited part of long texts', () => {
    expect(normalText(`${'a'.repeat(16_384)}b`)).toBe(normalText(`${'a'.repeat(16_384)}c`));
    expect(normalText('\u{FDFA}'.repeat(300_000)).length).toBeLessThanOrEqual(16_384 * 18);
  });

  it('[EX23] finds a repeated text of one sender once per run', () => {
    expect(found(3, ['a', 'a', 'a', 'a', 'a', 'b', 'a', 'a', 'a'].map(by('alice')))).toEqual([2, 8]);
    expect(found(2, ['a', 'b', 'b', 'c', 'c', 'c'].map(by('alice')))).toEqual([2, 4]);
  });

  it('[EX23] ignores texts of others in between, and finds both of two alternating senders', () => {
    const pingPong = Array.from({ length: 8 }, (_, i) =>
      i % 2 === 0 ? by('alice')('you first') : by('bob')('no, you'),
    );
    expect(found(3, pingPong)).toEqual([4, 5]);
    const stuck = Array.from({ length: 9 }, (_, i) => (i % 3 === 0 ? by('bob')('hm') : by('alice')('x'.repeat(i))));
    expect(found(3, stuck)).toEqual([6]);
  });

  it('[EX23] finds loops of up to four texts', () => {
    const loop = (texts: readonly string[], times: number) => Array(times).fill(texts).flat().map(by('alice'));
    expect(found(3, loop(['a', 'b'], 6))).toEqual([5]);
    expect(found(2, loop(['a', 'b', 'c', 'd'], 6))).toEqual([7]);
    expect(found(2, loop(['a', 'b', 'c', 'd', 'e'], 6))).toEqual([]);
  });

  it('[EX23] compares the text and routing of packets, and ignores other content', () => {
    const note = { event_type: 'x.note', event_data: { text: 'a' } };
    expect(found(2, [handoff('bob', { body: 'go on' }), handoff('carol', { body: 'go on' })].map(by('alice')))).toEqual(
      [],
    );
    expect(found(2, [callTool('search'), callTool('search')].map(by('alice')))).toEqual([1]);
    expect(found(2, ['a', note, note, 'a'].map(by('alice')))).toEqual([3]);
  });

  it('[EX23] matches a naive implementation', () => {
    const text = fc.constantFrom('a', 'b', 'c');
    const talk = fc.array(fc.tuple(fc.constantFrom('alice', 'bob'), text), { maxLength: 60 });
    const property = fc.property(talk, fc.integer({ min: 2, max: 4 }), (said, repeats) => {
      expect(found(repeats, said)).toEqual(naive(repeats, said));
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

/** Keeps all texts and checks the end of the list. */
function naive(repeats: number, said: readonly (readonly [string, string])[]): readonly number[] {
  const isLoop = (own: readonly string[], texts: number): boolean => {
    const end = own.slice(-texts * repeats);
    return end.length === texts * repeats && end.every((text, i) => text === end[i % texts]);
  };
  return said.flatMap(([name], i) => {
    const own = said.slice(0, i + 1).flatMap(([who, text]) => (who === name ? [text] : []));
    const shortest = [1, 2, 3, 4].find((texts) => isLoop(own, texts));
    return shortest !== undefined && !isLoop(own.slice(0, -1), shortest) ? [i] : [];
  });
}
