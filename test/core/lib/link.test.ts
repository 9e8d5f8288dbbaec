import { describe, expect, it } from 'vitest';
import { type Link, linkPair } from '../../../src/core/lib/link.ts';

/** Records everything that this end receives. */
function record(link: Link): string[] {
  const heard: string[] = [];
  link.onMessage((text) => heard.push(text));
  link.onClose(() => heard.push('(closed)'));
  return heard;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

describe('an in-process link', () => {
  it('[L2] carries texts both ways, in order, in a later microtask', async () => {
    const [a, b] = linkPair();
    const [atA, atB] = [record(a), record(b)];
    a.send('1');
    b.send('one');
    a.send('2');
    expect([atA, atB]).toEqual([[], []]);
    await settle();
    a.send('3');
    await settle();
    expect([atA, atB]).toEqual([['one'], ['1', '2', '3']]);
  });

  it('[L2] keeps the order of texts sent while receiving', async () => {
    const [a, b] = linkPair();
    const atA = record(a);
    b.onMessage((text) => {
      b.send(`re ${text}`);
      if (text === '1') a.send('3');
    });
    a.send('1');
    a.send('2');
    await settle();
    expect(atA).toEqual(['re 1', 're 2', 're 3']);
  });

  it('[L2] keeps texts that arrive before the listener', async () => {
    const [a, b] = linkPair();
    a.send('1');
    await settle();
    a.send('2');
    const atB = record(b);
    await settle();
    expect(atB).toEqual(['1', '2']);
  });

  it('[L2] delivers earlier texts before the close, and nothing after it', async () => {
    const [a, b] = linkPair();
    const [atA, atB] = [record(a), record(b)];
    a.send('1');
    a.send('2');
    a.close();
    a.send('late');
    b.send('late');
    await settle();
    expect([atA, atB]).toEqual([['(closed)'], ['1', '2', '(closed)']]);
  });

  it('[L2] delivers the texts of a handler before its close', async () => {
    const [a, b] = linkPair();
    const atA = record(a);
    b.onMessage((text) => {
      b.send(`goodbye ${text}`);
      b.close();
    });
    a.send('1');
    await settle();
    expect(atA).toEqual(['goodbye 1', '(closed)']);
  });

  it('[L8] closes once, whichever end closes', async () => {
    const [a, b] = linkPair();
    const [atA, atB] = [record(a), record(b)];
    a.close();
    b.close();
    a.close();
    await settle();
    b.close();
    await settle();
    expect([atA, atB]).toEqual([['(closed)'], ['(closed)']]);
  });

  it('[L8] notifies listeners added after the close, once and asynchronously', async () => {
    const [a, b] = linkPair();
    a.close();
    await settle();
    for (const link of [a, b]) {
      let told = 0;
      link.onClose(() => {
        told += 1;
      });
      expect(told).toBe(0);
      await settle();
      expect(told).toBe(1);
    }
  });
});
