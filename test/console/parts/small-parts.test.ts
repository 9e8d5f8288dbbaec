// Small pure parts of the page: JSON with places, graph templates, the newest answer, charts, and times.

import fc from 'fast-check';
import { checkGraph } from 'parley-hub/adapters/transition-graph';
import { describe, expect, it } from 'vitest';
import { parseGraph } from '../../../adapters/graph/transition-graph.ts';
import { lineOf, placeOf, readJson } from '../../../src/console/lib/read-json.ts';
import { chartText, drawSeries, figuresOf, formatCompact } from '../../../src/console/parts/chart/chart.ts';
import { latest } from '../../../src/console/parts/graph-editor/latest.ts';
import { TEMPLATES } from '../../../src/console/parts/graph-editor/templates.ts';
import { ticker } from '../../../src/console/time/ticker.ts';
import { ago, countdown, duration } from '../../../src/console/time/time-text.ts';

describe('JSON with places', () => {
  it('[UI62] agrees with JSON.parse on every text', () => {
    const spoilt = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '}', ',', '\\', '0', '\n', 'x'))
      .map(([text, at, sign]) => {
        const place = at % (text.length + 1);
        return `${text.slice(0, place)}${sign}${text.slice(place + 1)}`;
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), spoilt, fc.string()), (text) => {
        const read = readJson(text);
        const parsed = parse(text);
        // It rejects duplicate names and __proto__, which JSON.parse accepts.
        if (!read.ok && /twice|__proto__/.test(read.message)) return;
        expect(read.ok).toBe(parsed.ok);
        if (read.ok) expect(read.value).toEqual(parsed.value);
        else expect(read.at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 1000 },
    );
  });

  it('[UI62] knows the place of every value and of each error', () => {
    const text = '{\n  "a": [1,\n    {"b": true}]\n}';
    const read = readJson(text);
    const places = read.ok ? read.places : new Map();
    expect(lineOf(text, placeOf(places, 'a.1.b'))).toEqual({ line: 3, column: 11 });
    expect(lineOf(text, placeOf(places, 'a.1.nowhere.x'))).toEqual({ line: 3, column: 5 });
    expect(placeOf(places, 'z')).toBe(0);
    expect(readJson('{"a" 1}')).toEqual({ ok: false, at: 5, message: 'expected ":", got "1"' });
    expect(readJson('[1, 2')).toEqual({ ok: false, at: 5, message: 'expected "," or "]", got the end of the text' });
    expect(readJson('{"a":1,"a":2}')).toEqual({ ok: false, at: 7, message: '"a" is listed twice' });
    expect(readJson('['.repeat(100_000))).toMatchObject({ ok: false, message: 'nested more than 64 deep' });
  });
});

function parse(text: string): { readonly ok: boolean; readonly value: unknown } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, value: undefined };
  }
}

describe('graph templates', () => {
  it('[UI63] are graphs that the hub accepts, for any number of participants', () => {
    for (const template of TEMPLATES) {
      for (const people of [['a'], ['a', 'b'], ['a', 'b', 'c', 'd', 'e']]) {
        const graph = template.make(people);
        expect(() => checkGraph(parseGraph(graph))).not.toThrow();
        const text = JSON.stringify(graph);
        expect(people.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
      }
    }
    expect(TEMPLATES.map(({ name }) => name)).toEqual(['sequential', 'loop', 'hub_and_spoke']);
  });
});

/** Delays that end when the test calls `pass`. */
class Waiting {
  readonly tasks = new Set<() => void>();
  after(_ms: number, task: () => void): () => void {
    this.tasks.add(task);
    return () => this.tasks.delete(task);
  }
  pass(): void {
    for (const task of [...this.tasks]) {
      this.tasks.delete(task);
      task();
    }
  }
}

describe('the newest answer', () => {
  const asked = () => {
    const waiting = new Waiting();
    const open: { question: string; answer: (text: string) => void; fail: (error: Error) => void }[] = [];
    const received: string[] = [];
    const asking = latest<string, string>({
      delays: waiting,
      waitMs: 200,
      ask: (question) => new Promise((answer, fail) => open.push({ question, answer, fail })),
      onAnswer: (text) => received.push(text),
      onFailure: (failure) => received.push(String(failure)),
    });
    return { waiting, open, received, asking };
  };

  it('[UI63] only the last of several changes is asked, and only the newest answer is reported', async () => {
    const { waiting, open, received, asking } = asked();
    asking.ask('a');
    asking.ask('ab');
    waiting.pass();
    asking.ask('abc');
    waiting.pass();
    expect(open.map(({ question }) => question)).toEqual(['ab', 'abc']);
    open[1]?.answer('new');
    open[0]?.answer('old');
    await Promise.resolve();
    expect(received).toEqual(['new']);
  });

  it('[UI63] a failure is reported, and nothing after closing', async () => {
    const { waiting, open, received, asking } = asked();
    asking.ask('a');
    waiting.pass();
    open[0]?.fail(new Error('gone'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(received).toEqual(['Error: gone']);
    asking.ask('b');
    waiting.pass();
    asking.ask('c');
    asking.close();
    waiting.pass();
    open[1]?.answer('late');
    await new Promise((resolve) => setImmediate(resolve));
    expect(received).toEqual(['Error: gone']);
    expect(open.length).toBe(2);
  });
});

describe('a small chart', () => {
  it('[UI64] stays within its bounds and has gaps at unknown points, whatever the numbers', () => {
    const point = fc.option(fc.oneof(fc.double(), fc.constantFrom(0, -3, 1e308, Number.NaN, Number.POSITIVE_INFINITY)));
    fc.assert(
      fc.property(fc.array(fc.array(point, { maxLength: 60 }), { maxLength: 3 }), (all) => {
        const series = all.map((points, i) => ({ name: `s${i}`, points }));
        for (const { line, area } of drawSeries(series, { width: 120, height: 32 })) {
          const numbers = [...`${line}${area}`.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number);
          expect(numbers.every((n) => n >= 0 && n <= 120)).toBe(true);
          expect(`${line}${area}`).toMatch(/^[MLZ0-9 .]*$/);
        }
      }),
    );
    const [drawn] = drawSeries([{ name: 'x', points: [1, null, 2, 4] }], { width: 66, height: 26 });
    expect(drawn).toEqual({ line: 'M3 23L3 18M43 13L63 3', area: 'M43 23L43 13L63 3L63 23Z', last: { x: 63, y: 3 } });
  });

  it('[UI64] describes the newest, smallest and largest values', () => {
    expect(chartText([{ name: 'posts', points: [3, 40, 12] }], '/s')).toBe('posts: now 12/s, from 3 to 40/s');
    expect(chartText([{ name: 'p99', points: [] }], ' ms')).toBe('p99: no data yet');
    expect(figuresOf({ name: '', points: [1, null] })).toEqual({ now: null, least: 1, most: 1 });
    const texts = [0, 0.123, 9.96, 99.6, 999, 999.6, 1240, 1_500_000, 2e9].map(formatCompact);
    expect(texts.join()).toBe('0,0.12,10,100,999,1 k,1.24 k,1.5 M,2 G');
  });
});

describe('time in words', () => {
  it('[UI65] counts down to the deadline and shows how late it is', () => {
    const iso = (ms: number) => new Date(ms).toISOString();
    const at = (left: number) => countdown(iso(1_000_000_000 + left), 1_000_000_000);
    expect(at(65_000)).toEqual({ text: 'in 1m 5s', urgency: 'calm' });
    expect(at(9_100)).toEqual({ text: 'in 10s', urgency: 'soon' });
    expect(at(3_600_000)).toEqual({ text: 'in 1h', urgency: 'calm' });
    expect(at(2 * 86_400_000)).toEqual({ text: 'in 2d', urgency: 'calm' });
    expect(at(0)).toEqual({ text: '0s over', urgency: 'over' });
    expect(at(-61_000)).toEqual({ text: '1m 1s over', urgency: 'over' });
    expect(countdown('never', 0)).toEqual({ text: '–', urgency: 'calm' });
  });

  it('[UI65] shows how long ago, tolerates small clock differences, and never shows nonsense', () => {
    const of = (ms: number) => ago(new Date(100_000_000_000 - ms).toISOString(), 100_000_000_000);
    const texts = [-2000, 500, 5000, 200_000, 7_500_000, 100_000_000, 90 * 86_400_000, -60_000].map(of);
    expect(texts.join()).toBe('now,now,5s ago,3m 20s ago,2h 5m ago,1d 3h ago,90d ago,in 1m');
    expect(ago('never', 0)).toBe('at an unknown time');
    fc.assert(fc.property(fc.double(), (ms) => !/NaN|-|Infinity/.test(duration(ms)) || !Number.isFinite(ms)));
  });

  it('[UI65] one timer ticks for all listeners, and only while there are any', () => {
    const timers = new Set<() => void>();
    let now = 0;
    const clock = ticker({
      now: () => now,
      every(ms, task) {
        expect(ms).toBe(1000);
        timers.add(task);
        return () => timers.delete(task);
      },
    });
    const heard: string[] = [];
    const stopA = clock.listen((at) => heard.push(`a${at}`));
    const stopB = clock.listen((at) => heard.push(`b${at}`));
    expect(timers.size).toBe(1);
    now = 5;
    for (const tick of timers) tick();
    stopA();
    stopA();
    now = 6;
    for (const tick of timers) tick();
    stopB();
    expect(heard).toEqual(['a5', 'b5', 'b6']);
    expect(timers.size).toBe(0);
    clock.listen(() => {});
    expect(timers.size).toBe(1);
  });
});
