// Foreign text in a terminal cannot move the cursor, add lines or change a name.

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeColumns } from '../../src/cli/terminal/columns.ts';
import { printable, printableJson, printableLine } from '../../src/cli/terminal/printable.ts';
import { terminalOf } from '../../src/cli/terminal/terminal.ts';
import { Transcript } from '../../src/cli/transcript/transcript.ts';
import type { Envelope } from '../../src/core/records/session/envelope.ts';
import { CommandLine, type Joined } from '../support/command-line.ts';
import { itDeep } from '../support/size.ts';

const EVIL = '\u001b[31m\u0007\u009b2J\u202e';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('what is printed', () => {
  it('[CM4] has no controls, keeps its lines or becomes one, and stays equal as JSON', () => {
    expect(printable(`a${EVIL}\r\nb\tc`)).toBe('a\ufffd[31m\ufffd\ufffd2J\ufffd\nb    c');
    expect(printableLine('a\r\nb\rc')).toBe('a b\ufffdc');
    expect(printableJson({ text: EVIL })).not.toMatch(STEERS);
    expect(JSON.parse(printableJson({ text: EVIL }))).toEqual({ text: EVIL });
  });

  it('[CM4] a row of a table is one line', () => {
    const rows: string[] = [];
    const terminal = terminalOf({ write: (text: string) => rows.push(text) }, {});
    writeColumns(terminal, ['name', 'about'], [['bob', `sum${EVIL}\nFAKE`]]);
    expect(rows).toHaveLength(2);
    expect(rows[1]).toBe(`bob   ${printable(`sum${EVIL}`)} FAKE\n`);
  });

  it('[CM4] names are what the hub says they are', () => {
    const transcript = new Transcript(terminalOf({ write: () => {} }, {}));
    const tell = (sender_id: string, name: string): string => {
      const event_data = { text: 'hi', agent_id: 'b', name, participants: [{ agent_id: 'b', name }] };
      transcript.linesOf({ seq: 1, sender_id, event_type: 'msg.text', event_data } as unknown as Envelope);
      return transcript.nameOf('b');
    };
    expect(tell('hub', `bob${EVIL}\n`)).toBe(`${printable(`bob${EVIL}`)} `);
    expect(tell('hub', 'bob')).toBe('bob');
    expect(tell('a', 'CEO')).toBe('bob');
  });
});

describe('commands', () => {
  let line: CommandLine;
  let bob: Joined;
  let id: string;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-steering-'));
    line = await CommandLine.open();
    await line.startHub();
    bob = line.join('bob');
    await bob.says('"joined"');
    const [opened] = await line.json('open', 'conversation', '--to', 'bob', '--label', `k=v${EVIL}\nFAKE`, 'hello');
    id = (opened as { session: { session_id: string } }).session.session_id;
    await line.json('send', id, `one${EVIL}\r# two\r\n# three`);
    await line.json('close', id, '--reason', `over${EVIL}\nFAKE`);
  });
  afterAll(async () => {
    await bob.end();
    await line.close();
    await rm(folder, { recursive: true, force: true });
  });

  itDeep.each([
    'sessions',
    'agents',
    'show %',
    'show % --as bob',
    'close %',
    'search one',
    'export %',
    'export % --format md',
    'export % --format html',
    'show % --json',
  ])('[CM4] parley %s', async (words) => {
    const { out, err } = await line.run(words.replace('%', id).split(' '));
    expect(out).not.toMatch(STEERS);
    expect(err).not.toMatch(STEERS);
    if (!words.includes('export')) expect(out).not.toMatch(/^FAKE/m);
    if (words.endsWith('md')) expect(out).not.toMatch(/^# t/m);
  });

  it('[CM4] reports errors without control characters', async () => {
    const { code, err } = await line.here(['show', `x${EVIL}`]);
    expect({ code, steers: STEERS.test(err) }).toEqual({ code: 2, steers: false });
  });

  it('[CM4] an export is for its owner alone', async () => {
    const out = join(folder, 'session.jsonl');
    expect(await line.here(['export', id, '--out', out])).toMatchObject({ code: 0 });
    expect((await stat(out)).mode & 0o777).toBe(0o600);
  });

  it('[CM4] rejects a missing text as a usage error, and an envelope that cannot be redacted whatever the token', async () => {
    expect(await line.here(['send', id, ''])).toMatchObject({
      code: 2,
      err: expect.stringContaining('requires a text'),
    });
    const { code, err } = await line.here(['redact', id, '1']);
    expect({ code, err }).toEqual({ code: 6, err: expect.stringContaining('parley show') });
    expect(err).not.toContain('--grant');
  });
});
