// Every command with --json, against a hub that runs: stdout is JSON and nothing else.

import { mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { COMMANDS } from '../../src/cli/table.ts';
import { root } from '../package/repository.ts';
import { CommandLine, Joined, linesOf } from '../support/command-line.ts';

let line: CommandLine;
let bob: Joined;
/** Which commands were run here: at the end, all of them. */
const ran = new Set<string>();

/** Detects any other output on stdout. */
async function json(command: string, ...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  ran.add(command);
  const strays = [vi.spyOn(process.stdout, 'write'), vi.spyOn(console, 'log'), vi.spyOn(console, 'info')];
  try {
    const told = await line.json(command, ...args);
    expect(strays.flatMap(({ mock }) => mock.calls)).toEqual([]);
    return told;
  } finally {
    for (const stray of strays) stray.mockRestore();
  }
}

beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  bob = line.join('bob');
  ran.add('join');
  await bob.says('"joined"');
});
afterAll(() => line.close());

let sessionId = '';

function sessionOf(opened: Record<string, unknown> | undefined): string {
  const { session } = opened as { readonly session: { readonly session_id: string } };
  return session.session_id;
}

it('[CM2, CM5] open, send, show, inbox, sessions, agents and close tell of one session in JSON', async () => {
  const [opened] = await json('open', 'conversation', '--to', 'bob', 'Does the export work?');
  expect(opened).toMatchObject({ session: { state: 'ACTIVE' }, warnings: [], posted: { seq: 5 } });
  sessionId = sessionOf(opened);
  await bob.says('Does the export work?');
  bob.type('It does.');
  await bob.says('"sent"');
  const [waiting] = await json('inbox');
  expect(waiting).toMatchObject({
    session_id: sessionId,
    why: 'news',
    envelopes: [{ event_data: { text: 'It does.' } }],
  });
  expect(await json('send', 'last', 'Thank', 'you.')).toMatchObject([{ session_id: sessionId, seq: 7 }]);
  const [shown] = await json('show', sessionId.slice(-8));
  expect(shown).toMatchObject({ state: 'ACTIVE', at_seq: 7, awaited: [], session: { session_id: sessionId } });
  expect(shown?.envelopes).toHaveLength(7);
  expect(await json('sessions', '--live')).toMatchObject([
    { session_id: sessionId, type: 'conversation', head_seq: 7 },
  ]);
  const names = (await json('agents')).map(({ name, bound }) => `${name} ${bound}`);
  expect(names).toEqual(['alice false', 'bob true']);
  const [closed] = await json('close', sessionId, '--reason', 'enough', '--wait');
  expect(closed).toEqual({ session_id: sessionId, state: 'CLOSED', close_reason: 'enough' });
  await bob.says('session.closed');
});

it('[CM8, OB9] show as one of them, and as it was', async () => {
  const [shown] = await json('show', sessionId, '--as', 'bob', '--at', '5');
  expect(shown).toMatchObject({
    state: 'ACTIVE',
    at_seq: 5,
    view: { at_seq: 5, messages: [{ role: 'user', content: 'Does the export work?', seq: 5 }] },
  });
  expect(await json('show', sessionId, '--at', '2')).toMatchObject([{ state: 'INVITED', turn: null }]);
});

it('[CM8] show says who is awaited and until when, at the seq that was asked for', async () => {
  const bobSays = bob.says(/"turn","session_id":"[0-9a-f]+","turn":\{"agent_id":"[0-9a-f]+","since_seq":5\}/);
  const [opened] = await json('open', 'consulting', '--to', 'bob', 'And the import?');
  await bobSays;
  const session_id = sessionOf(opened);
  const [shown] = await json('show', session_id);
  expect(shown).toMatchObject({ awaited: [{ name: 'bob', what: 'to speak' }], turn: { since_seq: 5 } });
  expect(await json('show', session_id, '--at', '4')).toMatchObject([
    { awaited: [{ name: 'alice', what: 'to speak' }] },
  ]);
  await json('close', session_id);
});

it('[CM2] export in every format, to stdout and to a file that is not there yet', async () => {
  const [jsonl] = await json('export', sessionId);
  expect(linesOf(String(jsonl?.text)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const out = join(line.folder, 'session.html');
  expect(await json('export', sessionId, '--format', 'html', '--out', out)).toMatchObject([
    { out, text: null, envelopes: 9 },
  ]);
  expect(await readFile(out, 'utf8')).toContain('<p>Does the export work?</p>');
  const [md] = await json('export', sessionId, '--format', 'md');
  expect(md?.text).toContain('**bob** (6):\n\n> It does.');
  const again = await line.here(['export', sessionId, '--out', out]);
  expect(again.code).not.toBe(0);
});

it('[CM2] search finds it, and redact hides it from show, search and export', async () => {
  expect(await json('search', 'thank', 'you')).toMatchObject([{ session_id: sessionId, seq: 7 }]);
  expect(await json('redact', sessionId, '7', '--reason', 'a test')).toMatchObject([{ session_id: sessionId, seq: 7 }]);
  expect(await json('search', 'thank you')).toEqual([]);
  expect(JSON.stringify(await json('show', sessionId))).not.toContain('Thank you.');
  expect(JSON.stringify(await json('export', sessionId))).not.toContain('Thank you.');
});

it('[CM2] tail is a line for each envelope, until the session has ended', async () => {
  const told = await json('tail', sessionId, '--all');
  expect(told.map(({ envelope }) => (envelope as { seq: number }).seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('[CM2] tail of everything shows sessions that begin later, and ends with 0 when it is interrupted', async () => {
  const tail = new Joined(line.spawn(['tail', '--json']));
  const watching = new Promise<void>((resolve) =>
    tail.child.stderr.on('data', () => tail.err.includes('watching') && resolve()),
  );
  await watching;
  const [opened] = await json('open', 'conversation', '--to', 'bob', 'Do you hear me?');
  await tail.says('Do you hear me?');
  tail.child.kill('SIGINT');
  expect(await tail.ended).toBe(0);
  linesOf(tail.out);
  await json('close', sessionOf(opened));
});

it('[CM2] token: made, listed without its secret, revoked', async () => {
  const [made] = await json('token', 'create', '--name', 'carol', '--grant', 'observe', '--ttl', '1h');
  expect(made).toMatchObject({ name: 'carol', grants: ['observe'], token: expect.stringMatching(/^parley_/) });
  const listed = await json('token', 'list');
  expect(listed).toContainEqual(expect.objectContaining({ token_id: made?.token_id, name: 'carol' }));
  expect(JSON.stringify(listed)).not.toContain(String(made?.token));
  expect(await json('token', 'revoke', String(made?.token_id))).toEqual([{ token_id: made?.token_id }]);
});

it('[CM2] schedule: created, listed, paused, resumed, deleted', async () => {
  const wanted = ['--type', 'conversation', '--to', 'bob', '--cron', '0 9 * * 1-5', '--zone', 'Europe/Berlin'];
  const [made] = await json('schedule', 'create', 'stand-up', ...wanted);
  expect(made).toMatchObject({ name: 'stand-up', zone: 'Europe/Berlin', paused: false });
  const id = String(made?.schedule_id);
  expect(await json('schedule', 'list')).toMatchObject([{ schedule_id: id }]);
  expect(await json('schedule', 'pause', id)).toMatchObject([{ paused: true }]);
  expect(await json('schedule', 'resume', id, '--as', 'alice')).toMatchObject([{ paused: false }]);
  expect(await json('schedule', 'delete', id)).toEqual([{ schedule_id: id }]);
  expect(await json('schedule', 'list')).toEqual([]);
});

it('[CM2] mcp install: what would change, done and undone, and what to paste', async () => {
  const own = { HOME: line.folder, XDG_CONFIG_HOME: '', CODEX_HOME: '' };
  ran.add('mcp');
  for (const [words, expected] of [
    ['--dry-run', { action: 'added', done: false }],
    ['--yes', { action: 'added', done: true }],
    ['--yes', { action: 'unchanged', done: true }],
    ['--undo --yes', { action: 'deleted', done: true }],
  ] as const) {
    const { code, out } = await line.run(['mcp', 'install', 'codex', ...words.split(' '), '--json'], own);
    expect(code).toBe(0);
    expect(linesOf(out)).toMatchObject([{ tool: 'codex', entry: 'parley', change: expect.any(Array), ...expected }]);
  }
  const { out } = await line.run(['mcp', 'install', '--print', '--json'], own);
  expect(linesOf(out).map(({ tool }) => tool)).toEqual(['claude', 'codex', 'cursor', 'gemini', 'opencode']);
});

it('[CM2] graph, completion and demo need no hub', async () => {
  const file = join(line.folder, 'graph.yaml');
  await writeFile(
    file,
    'initial_speaker: ann\ntransitions:\n  - when: {name: from_speaker, args: {agent_id: ann}}\n    then: {name: agent, args: {agent_id: ben}}\n',
  );
  const [drawn] = await json('graph', file);
  expect(drawn).toMatchObject({ file, mermaid: expect.stringContaining('ann') });
  const [script] = await json('completion', 'bash');
  expect(script).toMatchObject({ shell: 'bash', script: expect.stringContaining('complete -F') });
  const told = await json('demo');
  expect(told.map(({ text }) => text).join('\n')).toContain('What to try next');
});

it('[CM2, GV19] conformance reports counts, and the digest of the fixtures', async () => {
  const target = join(line.folder, 'target');
  await mkdir(join(target, '.agentxchain-conformance/fixtures'), { recursive: true });
  const main = join(root, 'src/governed/conformance/adapter/main.ts');
  const command = [process.execPath, '--conditions=parley-source', '--import', import.meta.resolve('tsx'), main];
  const adapter = { protocol: 'stdio-fixture-v1', command };
  const says = { implementation: 'probe', tiers: [1], adapter };
  await writeFile(join(target, '.agentxchain-conformance/capabilities.json'), JSON.stringify(says));
  const fixture = await readFile(join(root, 'test/conformance/fixtures/1/history/P-HS-01.json'));
  await writeFile(join(target, '.agentxchain-conformance/fixtures/one.json'), fixture);
  const [report] = await json('conformance', 'check', '--target', target);
  expect(report).toMatchObject({
    is_conformant: true,
    counts: { fixtures: 1, as_expected: 1, lied: 0, skipped: 0 },
    corpus_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const { out } = await line.here(['conformance', 'check', '--target', target]);
  expect(out).toContain('1 of 1 as expected');
  expect(out).not.toMatch(/\bpass\b/i);
});

it('[CM2] mcp prints nothing but the protocol', async () => {
  expect(await line.run(['mcp', '--name', 'reviewer', '--json'])).toMatchObject({ code: 0, out: '' });
});

it('[CM11] doctor looks at environment, folder, disk, sync, port and clock', async () => {
  const [found] = await json('doctor');
  const checks = found?.checks as { name: string; ok: boolean }[];
  expect(checks.map(({ name, ok }) => `${name} ${ok}`)).toEqual(
    ['environment', 'folder', 'disk', 'sync', 'port', 'clock'].map((name) => `${name} true`),
  );
});

it('[CM2, CM9] with the hub stopped: verify, archive, backup, restore, repair; and whoever waited for it can leave', async () => {
  await line.stopHub();
  await bob.says('"away"');
  expect(await bob.end()).toBe(0);
  linesOf(bob.out);
  const [verified] = await json('verify');
  expect(verified).toMatchObject({ ok: true, problems: [], damages: [] });
  const [archived] = await json('archive', '--ended-before', '0s');
  expect(archived).toMatchObject({ sessions: 3 });
  const target = join(line.folder, 'backup');
  expect(await json('backup', target)).toMatchObject([{ target, bytes: expect.any(Number) }]);
  const restored = join(line.folder, 'restored');
  expect(await json('restore', target, '--data', restored)).toMatchObject([{ data: restored }]);
  expect(await json('verify', '--data', restored)).toMatchObject([{ ok: true }]);
  expect(await json('repair')).toMatchObject([{ repaired: [] }]);
  // The token of whoever runs it is the same: it speaks for the names that were registered with it.
  const token = (folder: string) => readFile(join(folder, 'operator-token'), 'utf8');
  expect(await token(restored)).toBe(await token(line.data));
  expect((await stat(join(target, 'operator-token'))).mode & 0o777).toBe(0o600);
});

it('[CM2] run tells programs how a governed run stands', async () => {
  const root = await mkdtemp(join(line.folder, 'governed-'));
  const [begun] = await json('run', 'init', '--template', 'solo', '--root', root);
  expect(begun).toMatchObject({ root, made: true, state: { status: 'active', phase: 'work' } });
  const [assigned] = await json('run', 'assign', '--root', root);
  expect(assigned).toMatchObject({ turn: { assigned_role: 'dev' }, bundle: expect.stringContaining('dispatch/turns') });
  expect(await json('run', 'status', '--root', root)).toMatchObject([
    { waits_for: 'dev', turns: [{ result: 'nothing' }] },
  ]);
  expect(await json('run', 'history', '--root', root)).toEqual([]);
});

it('[CM2, CM10] up tells programs where it listens and how it ends', async () => {
  ran.add('up');
  const config = join(line.folder, 'hub.yaml');
  await writeFile(
    config,
    'hub:\n  port: 0\n  data: from-config\n  logLevel: silent\n  limits: { maxParticipants: 3 }\n',
  );
  const up = new Joined(line.spawn(['up', '--config', config, '--json', '--host', '127.0.0.1']));
  await up.says('"listening"');
  up.child.kill('SIGTERM');
  expect(await up.ended).toBe(0);
  const told = linesOf(up.out);
  expect(told.map(({ event }) => event)).toEqual(['listening', 'stopping', 'stopped']);
  // A path in a file is meant from where the file is.
  expect(told[0]).toMatchObject({
    data: join(line.folder, 'from-config'),
    url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/),
  });
  expect((await stat(join(line.folder, 'from-config', 'operator-token'))).mode & 0o777).toBe(0o600);
});

it('[CM2] that was every command there is', () => {
  expect(COMMANDS.map(({ name }) => name).filter((name) => !ran.has(name))).toEqual([]);
});
