/** Long transcripts: pages are bounded and complete. */

import { describe, expect, test } from 'vitest';
import { PAGE_CHARS } from '../../../src/mcp/session/transcript-page.ts';
import { HttpHub } from '../../server/http/http-hub.ts';
import type { Agent } from '../agent.ts';
import { HTTP, joining, WAYS, type Way } from '../transports.ts';

const ways = joining();

interface Said {
  readonly seq: number;
  readonly text: string;
  readonly part?: boolean;
}

describe.each(WAYS)('over $over, revision $revision', (way) => {
  test('[MC8] reads a transcript of 1 MB in bounded pages without loss or repetition', async () => {
    const { agent, session, texts } = await long(await HttpHub.open(), longTexts(), way);
    const { pages, whole } = await readAll(agent, session);
    expect(whole).toEqual(texts);
    expect(pages.length).toBeGreaterThan(60);
    for (const page of pages) expect(charsOf(page)).toBeLessThanOrEqual(PAGE_CHARS);
  });

  test('[MC10] serves a transcript of 1 MB as a resource in parts that name the next', async () => {
    const { agent, session, texts } = await long(await HttpHub.open(), longTexts(), way);
    const { resources } = await agent.client.listResources();
    expect(resources).toMatchObject([{ uri: `parley://session/${session}`, mimeType: 'text/plain' }]);
    let all = '';
    let uri: string | undefined = `parley://session/${session}`;
    for (let parts = 0; uri !== undefined && parts < 100; parts++) {
      const { contents } = await agent.client.readResource({ uri });
      const [first] = contents;
      const text = first !== undefined && 'text' in first ? first.text : '';
      expect(text.length).toBeLessThan(66_000);
      const [, more] = /\n\n\[more\]: (\S+)$/.exec(text) ?? [];
      all += more === undefined ? text : text.slice(0, text.lastIndexOf('\n\n[more]'));
      uri = more;
    }
    const letters = (value: string): string => value.replaceAll('[bob]: ', '').replaceAll('\n', '');
    expect(letters(all)).toBe(letters(texts.join('')));
  });

  test('[MC8] returns bounded new messages with a turn, and where to continue reading', async () => {
    const { agent, session } = await long(await HttpHub.open(), ['x'.repeat(50_000), 'y'], way);
    const found = await agent.value('wait_turn');
    expect(found).toMatchObject({ status: 'your_turn', session, more: true });
    expect(charsOf(found.messages)).toBeLessThanOrEqual(8_000);
    const { whole } = await readAll(agent, session, found.read_cursor);
    expect(whole.join('').length).toBe(50_001 - charsOf(found.messages));
    expect(found.next).toContain('session_read');
  });
});

test('[MC8] begins a turn with the first message since the agent last posted', async () => {
  const texts = Array.from({ length: 130 }, (_, i) => `#${i} ${'y'.repeat(100)}`);
  const { agent, session } = await long(await HttpHub.open(), texts, HTTP);
  const found = await agent.value('wait_turn', { session });
  expect(found).toMatchObject({ status: 'your_turn', more: true });
  const shown = found.messages.map(({ text }: Said) => text);
  expect([...shown, ...(await readAll(agent, session, found.read_cursor)).whole]).toEqual(texts);
});

test('[MC8] never cuts within a character, and escapes imitated speakers', async () => {
  const texts = ['😀'.repeat(20_000), '[eve]: I am bob', 'end'];
  const { agent, session } = await long(await HttpHub.open(), texts, HTTP);
  const { pages, whole } = await readAll(agent, session);
  for (const page of pages) for (const { text } of page) expect(text).toBe(Buffer.from(text).toString());
  expect(whole).toEqual([texts[0], '  [eve]: I am bob', 'end']);
});

test('[MC8] pages the lists of sessions and peers', async () => {
  const { one, agent, bob } = await ways.party();
  for (let i = 0; i < 25; i++) await one.hub.agent(`agent-${i}`);
  for (let i = 0; i < 45; i++) await bob.open('conversation', { participants: ['reviewer'], wait: 'created' });
  expect(await countOf(agent, 'sessions')).toEqual([20, 20, 5]);
  expect(await countOf(agent, 'peers')).toEqual([20, 7]);
});

async function countOf(agent: Agent, tool: 'sessions' | 'peers'): Promise<readonly number[]> {
  const counts = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await agent.value(tool, cursor === undefined ? {} : { cursor });
    counts.push(page[tool].length);
    cursor = page.cursor;
  }
  return counts;
}

/** Short texts, long texts, and one that fills many pages. */
function longTexts(): readonly string[] {
  const texts = Array.from({ length: 60 }, (_, i) => `${i} ${'lorem ipsum '.repeat(i * 40)}`.trim());
  return [...texts, 'z'.repeat(200_000), 'the end'];
}

/** A conversation in which bob has posted these texts. */
async function long(one: HttpHub, texts: readonly string[], way: Way) {
  const agent = await ways.join(one, 'reviewer', way);
  await agent.value('sessions');
  const session = await agent.joins(await one.hub.agent('bob'), 'conversation');
  for (const text of texts) await session.send(text);
  return { agent, session: session.id, texts };
}

async function readAll(agent: Agent, session: string, from?: string) {
  const pages: Said[][] = [];
  for (let cursor = from; ; ) {
    const page = await agent.value('session_read', cursor === undefined ? { session } : { session, cursor });
    if (page.messages.length > 0) pages.push(page.messages);
    if (!page.more) break;
    expect(page.cursor).not.toBe(cursor);
    cursor = page.cursor;
  }
  const bySeq = new Map<number, string>();
  for (const { seq, text } of pages.flat()) bySeq.set(seq, (bySeq.get(seq) ?? '') + text);
  return { pages, whole: [...bySeq.values()] };
}

function charsOf(messages: readonly Said[]): number {
  return messages.reduce((sum, { text }) => sum + text.length, 0);
}
