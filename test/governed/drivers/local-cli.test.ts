// The local_cli driver with real processes: every row of the protocol's tables.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, isRunning } from '../../participants/processes/programs.ts';
import { itDeep } from '../../support/size.ts';
import { KEPT, RESULT, type Runtime, Scene, SECRET, TURN } from './scene.ts';

const scene = Scene.fresh();

function node(source: string, more: object = {}): Runtime {
  const file = scene.programs.file('agent.mjs', `${HANDS}\n${source}`);
  const env = { [scene.programs.mark]: '1', ...('env' in more ? (more.env as object) : {}) };
  return { type: 'local_cli', command: process.execPath, args: [file], ...more, env };
}

/** Helpers of the agents in this file. */
const HANDS = `import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
const path = process.env.AGENTXCHAIN_STAGING_PATH;
const stage = (value) => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, JSON.stringify(value)); };
const result = JSON.parse(readFileSync(0, 'utf8').match(/\\\`\\\`\\\`json\\n([^]*?)\\n\\\`\\\`\\\`/)?.[1] ?? '{"schema_version":"1.0"}');
const note = (value) => writeFileSync('note.json', JSON.stringify(value));`.replaceAll('\\`', '`');

const note = (): unknown => JSON.parse(scene.project.read('note.json'));

describe('[GA5] the end of a program', () => {
  itDeep.each([1, 7, 127])('with exit code %i is a failure, and the staged file is kept', async (code) => {
    await scene.dispatched(
      node(`stage(result); console.log('out'); console.error('err'); process.exitCode = ${code};`),
    );
    const failure = await scene.fails();
    expect(failure).toMatchObject({
      reason: `exit_code_${code}`,
      error_class: 'process_exit',
      category: 'permanent',
      blocked: true,
      exit_code: code,
    });
    expect(failure.detail).toContain(`exitCode=${code} stdout=out stderr=err`);
    expect(scene.staged()).toMatchObject({ turn_id: TURN });
    expect(scene.project.read(`${KEPT}/stdout.log`)).toBe('out\n');
    expect(scene.project.read(`${KEPT}/stderr.log`)).toBe('err\n');
  });

  it('with exit code 0 without a result is a failure', async () => {
    await scene.dispatched(node(''));
    expect(await scene.fails()).toMatchObject({ error_class: 'no_result', category: 'parse', blocked: false });
  });

  itDeep.each(['{"half', '[]', '{}', ''])('with exit code 0 and %j staged is a failure', async (text) => {
    await scene.dispatched(
      node(`mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, ${JSON.stringify(text)});`),
    );
    expect(await scene.fails()).toMatchObject({ error_class: 'invalid_result', category: 'parse' });
  });

  it('with only the result of an earlier attempt is a failure', async () => {
    await scene.dispatched(node(''));
    scene.project.write(RESULT, JSON.stringify(scene.result));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'no_result' });
    expect(failure.detail).toContain('from before the start');
  });

  it('[GA5] keeps garbage in place of the result when exit code 7 fails the turn', async () => {
    const garbage = `mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, 'Segmentation fault');`;
    await scene.dispatched(node(`${garbage} process.exitCode = 7;`));
    expect(await scene.fails()).toMatchObject({ reason: 'exit_code_7', error_class: 'process_exit', exit_code: 7 });
    expect(scene.project.read(RESULT)).toBe('Segmentation fault');
  });

  it.each(['SIGTERM', 'SIGKILL'])('[GA5] does not mistake a foreign %s for a timeout', async (signal) => {
    const source = `process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000);`;
    await scene.dispatched(node(source, { timeout_ms: 600_000 }));
    const killed = { reason: `signal_${signal}`, error_class: 'process_killed', signal, category: 'transient' };
    expect(await scene.fails()).toMatchObject(killed);
  });

  it('with exit code 0 and a staged result completes the turn', async () => {
    await scene.dispatched(node('stage({ ...result, status: "completed" });'));
    expect(await scene.run()).toMatchObject({ ok: true, turnResult: { turn_id: TURN, role: 'builder' } });
    expect(scene.staged()).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['no-such-program-here', 'not found'],
    ['./plain.txt', 'not executable'],
  ])('of %s is spawn_failed with the reason', async (command, why) => {
    scene.project.write('plain.txt', 'true');
    await scene.dispatched({ type: 'local_cli', command });
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'spawn_failed', category: 'permanent', blocked: true });
    expect(failure.detail).toContain(why);
  });

  it.each([
    ['Invalid API key · Please run /login', 'auth_failure', 'permanent'],
    ['429 Too Many Requests: rate limit, retry after 30 s', 'rate_limited', 'transient'],
    ['insufficient_quota', 'spend_limit', 'permanent'],
    ['Overloaded', 'provider_overloaded', 'transient'],
    ['segmentation fault', 'process_exit', 'permanent'],
  ])('is classified by its last output: %s', async (text, error_class, category) => {
    await scene.dispatched(node(`console.error(${JSON.stringify(text)}); process.exitCode = 1;`));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ reason: 'exit_code_1', error_class, category });
    if (error_class === 'rate_limited') expect(failure.retry_after_ms).toBe(30_000);
  });
});

describe('[GA5] a timeout', () => {
  itDeep('sends SIGTERM to the process group, and SIGKILL after 5 s', async () => {
    const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
    const source = `${deaf} stage(result);
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(`${deaf} console.log('up')`)}], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.once('data', () => note([process.pid, child.pid]));`;
    await scene.dispatched(node(source, { timeout_ms: 4_000 }));
    const failure = await scene.fails();
    const killed = { reason: 'timeout', error_class: 'timeout', category: 'transient', signal: 'SIGKILL' };
    expect(failure).toMatchObject(killed);
    expect((note() as number[]).map(isRunning)).toEqual([false, false]);
    // A result staged by a program that never ends does not complete the turn.
    expect(scene.staged()).not.toBeNull();
  });

  itDeep('does not kill a program that ends on SIGTERM', async () => {
    const source = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); setInterval(() => {}, 1000);`;
    await scene.dispatched(node(source, { timeout_ms: 3_000 }));
    expect(await scene.fails()).toMatchObject({ reason: 'timeout', exit_code: 0 });
    expect(scene.project.read(`${KEPT}/stdout.log`)).toBe('bye\n');
  });

  itDeep('is not extended by a deaf grandchild that holds the output', async () => {
    const deaf = `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000);`;
    const source = `stage(result);
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true });
      child.unref(); child.channel.unref();`;
    await scene.dispatched(node(source));
    expect(await scene.run()).toMatchObject({ ok: true });
  });

  it('[GA5] is not extended by a detached grandchild that holds the output', async () => {
    const deaf = `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000);`;
    const source = `const stdio = ['ignore', 'inherit', 'inherit'];
      note(spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { stdio, detached: true }).pid);
      setInterval(() => {}, 1000);`;
    await scene.dispatched(node(source, { timeout_ms: 4_000 }));
    expect(await scene.fails()).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient' });
    expect(isRunning(Number(note()))).toBe(false);
  }, 30_000);

  it('that is requested overrides the config', async () => {
    await scene.dispatched(node('setInterval(() => {}, 1000);', { timeout_ms: 600_000 }));
    expect(await scene.fails({ timeoutMs: 300 })).toMatchObject({ reason: 'timeout' });
  });

  it('is not needed to end a cancelled program', async () => {
    await scene.dispatched(node('note(process.pid); setInterval(() => {}, 1000);'));
    const isNoted = () => existsSync(`${scene.root}/note.json`) && scene.project.read('note.json') !== '';
    const failure = await scene.cancels(() => eventually(isNoted, (isThere) => isThere));
    expect(failure).toMatchObject({ reason: 'aborted', blocked: false });
    expect(isRunning(note() as number)).toBe(false);
  });

  it('of a watchdog applies only where it is set', async () => {
    await scene.dispatched(node('setInterval(() => {}, 1000);', { startup_watchdog_ms: 300 }));
    expect(await scene.fails()).toMatchObject({ error_class: 'no_output', category: 'transient' });
    await scene.dispatched(node(`console.log('up'); setInterval(() => {}, 1000);`, { silence_watchdog_ms: 300 }));
    expect(await scene.fails()).toMatchObject({ error_class: 'no_output' });
  });

  it('is not needed to end a program that exceeds max_output_bytes', async () => {
    const source = `setInterval(() => console.log('x'.repeat(10_000)), 1);`;
    await scene.dispatched(node(source, { max_output_bytes: 100_000 }));
    expect(await scene.fails()).toMatchObject({ error_class: 'output_limit', category: 'permanent' });
  });
});

describe('[GA4] the prompt', () => {
  const read = `note({ stdin: process.env.STDIN, args: process.argv.slice(2) }); stage(result);`;
  const prompt = (): string => {
    const part = (name: string): string => scene.project.read(`.agentxchain/dispatch/turns/${TURN}/${name}`);
    return `${part('PROMPT.md')}\n---\n\n${part('CONTEXT.md')}`;
  };
  const echo = (more: object): Runtime =>
    node('', {
      args: [
        scene.programs.file(
          'echo.mjs',
          `import { readFileSync, statSync, existsSync, writeFileSync, mkdirSync } from 'node:fs';
        import { dirname } from 'node:path';
        const args = process.argv.slice(2);
        const file = args.map((arg) => arg.replace(/^--from=/, '')).find((arg) => arg.startsWith('/') && existsSync(arg));
        const seen = file === undefined ? null : { file, text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777, folder: statSync(dirname(file)).mode & 0o777 };
        writeFileSync('note.json', JSON.stringify({ stdin: readFileSync(0, 'utf8'), args, seen }));
        const path = process.env.AGENTXCHAIN_STAGING_PATH;
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, '{"schema_version":"1.0"}');`,
        ),
        ...('args' in more ? (more.args as string[]) : []),
      ],
      ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'args')),
    });

  it('too long for an argument is refused with the alternatives', async () => {
    scene.project.write('.agentxchain/prompts/builder.md', 'x'.repeat(200_000));
    await scene.dispatched(echo({ prompt_transport: 'arg' }));
    const failure = await scene.fails();
    expect(failure).toMatchObject({ error_class: 'spawn_failed' });
    expect(failure.detail).toContain('use stdin or a file instead');
  });

  it.each([{}, { prompt_transport: 'stdin' }])('is sent to stdin with %o', async (more) => {
    scene.project.write('.agentxchain/prompts/builder.md', 'x'.repeat(200_000));
    await scene.dispatched(echo(more));
    expect(await scene.run()).toMatchObject({ ok: true });
    expect(note()).toEqual({ stdin: prompt(), args: [], seen: null });
  });

  it.each([
    [{ prompt_transport: 'file' }, (file: string) => [file]],
    [{ prompt_transport: 'file', args: ['-q'] }, (file: string) => ['-q', file]],
    [{ args: ['--from={prompt_file}', '-q'] }, (file: string) => [`--from=${file}`, '-q']],
  ])('is written to a private, temporary file with %o', async (more, args) => {
    await scene.dispatched(echo(more));
    expect(await scene.run()).toMatchObject({ ok: true });
    const { seen, ...rest } = note() as { seen: { file: string; text: string; mode: number; folder: number } };
    expect(seen).toMatchObject({ text: prompt(), mode: 0o600, folder: 0o700 });
    expect(rest).toEqual({ stdin: '', args: args(seen.file) });
    expect(existsSync(dirname(seen.file))).toBe(false);
  });

  it('file is deleted after a failure too', async () => {
    await scene.dispatched(node(`note(process.argv[2]); process.exitCode = 1;`, { prompt_transport: 'file' }));
    await scene.fails();
    expect(existsSync(note() as string)).toBe(false);
  });

  it.each([
    [{ prompt_transport: 'arg', args: ['-p'] }, (text: string) => ['-p', text]],
    [{ prompt_transport: 'argv', args: ['-p'] }, (text: string) => ['-p', text]],
    [{ args: ['-p', '{prompt}', '-q'] }, (text: string) => ['-p', text, '-q']],
    [{ prompt_transport: 'argv', args: ['--say={prompt}'] }, (text: string) => [`--say=${text}`]],
  ])('is an argument with %o', async (more, args) => {
    scene.project.write('.agentxchain/prompts/builder.md', 'Cost: $& and $1');
    await scene.dispatched(echo(more));
    expect(await scene.run()).toMatchObject({ ok: true });
    expect(note()).toEqual({ stdin: '', args: args(prompt()), seen: null });
  });

  it('is only in the bundle with dispatch_bundle_only', async () => {
    await scene.dispatched(echo({ prompt_transport: 'dispatch_bundle_only', args: ['go'] }));
    expect(await scene.run()).toMatchObject({ ok: true });
    expect(note()).toEqual({ stdin: '', args: ['go'], seen: null });
  });

  it('reaches a command given as a list, in a folder of the project only', async () => {
    scene.project.write('lamp/oil.txt', '');
    const runtime = node(`note(process.cwd()); stage(result); ${read}`);
    await scene.dispatched({ ...runtime, command: [process.execPath, '--no-warnings'], cwd: 'lamp' });
    expect(await scene.run()).toMatchObject({ ok: true });
    expect(statSync(`${scene.root}/lamp/note.json`).isFile()).toBe(true);
    await scene.dispatched(node('', { cwd: '../..' }));
    expect(await scene.fails()).toMatchObject({ error_class: 'bad_settings' });
  });
});

describe('[GA6] the environment', () => {
  it('that lacks a variable prevents the start', async () => {
    await scene.dispatched(node('note(1);', { env: { LAMP_API_KEY: '${LAMP_API_KEY}' } }));
    const failure = await scene.fails({ variables: {} });
    expect(failure).toMatchObject({ error_class: 'unset_variable', category: 'permanent', blocked: true });
    expect(failure.detail).toContain('LAMP_API_KEY');
    expect(existsSync(`${scene.root}/note.json`)).toBe(false);
  });

  it('has the variables of the config and the turn, and not those of the runner', async () => {
    process.env.PARLEY_TEST_PRIVATE = 'private';
    const source = 'note({ ...process.env, secretIs: process.env.LAMP_API_KEY }); stage(result);';
    await scene.dispatched(node(source, { env: { LAMP_API_KEY: '${LAMP_API_KEY}', MIXED: 'a-${X}-b' } }));
    const outcome = await scene.run({ variables: { LAMP_API_KEY: SECRET, X: 'x' } });
    delete process.env.PARLEY_TEST_PRIVATE;
    expect(outcome).toMatchObject({ ok: true });
    expect(note()).toMatchObject({
      secretIs: SECRET,
      MIXED: 'a-x-b',
      AGENTXCHAIN_TURN_ID: TURN,
      AGENTXCHAIN_RUN_ID: 'run_lamp',
      AGENTXCHAIN_ROLE: 'builder',
      AGENTXCHAIN_PHASE: 'implementation',
      AGENTXCHAIN_RUNTIME_ID: 'bench',
      AGENTXCHAIN_ATTEMPT: '1',
      AGENTXCHAIN_PROJECT_ROOT: scene.root,
      AGENTXCHAIN_DISPATCH_DIR: `${scene.root}/.agentxchain/dispatch/turns/${TURN}`,
      AGENTXCHAIN_STAGING_PATH: `${scene.root}/${RESULT}`,
    });
    expect(note()).not.toHaveProperty('PARLEY_TEST_PRIVATE');
  });

  itDeep.each([
    ['a failure', `console.log(process.env.WICK); console.error('key=' + process.env.WICK); process.exitCode = 3;`],
    ['a timeout', `console.log(process.env.WICK); console.error(process.env.WICK); setInterval(() => {}, 1000);`],
    [
      'much output',
      `console.log('y'.repeat(1024 * 1024 / 2 - 8) + process.env.WICK + 'z'.repeat(3_000_000)); process.exitCode = 1;`,
    ],
  ])('shows no secret in the files, failure or arguments of %s', async (_, source) => {
    await scene.dispatched(node(source, { env: { WICK: '${WICK}' }, timeout_ms: 2_000 }));
    const failure = await scene.fails({ variables: { WICK: SECRET } });
    const seen = `${JSON.stringify(failure)} ${scene.everything()}`;
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain(SECRET.slice(0, 8));
  });
});
