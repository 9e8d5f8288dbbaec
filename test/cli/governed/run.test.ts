// `parley run` from the user's side: rejections first, then a complete run.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { answers, configure, json, line, root, run, scripted, solo, stage, useProject, WORKS } from './project.ts';

useProject();

describe('asked wrongly', () => {
  itDeep.each([
    [['status', 'now'], 2, 'takes no argument'],
    [['status', '--note', 'x'], 2, 'does not take --note'],
    [['reject'], 2, 'requires --reason'],
    [['block', '--reason', ' '], 2, 'requires --reason'],
    [['loop', '--max-turns', '0'], 2, '--max-turns: expected a whole number'],
    [['loop', '--timeout', 'soon'], 2, '--timeout: expected a time'],
    [['init', '--template', 'huge'], 2, 'one of team, agents, solo'],
    [['dance'], 2, 'expected one of init, status'],
  ])('[CM19] %j says what is wrong, and does nothing', async (words, code, said) => {
    const ended = await run(...words);
    expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(said) });
    expect(existsSync(join(root, 'agentxchain.json'))).toBe(false);
  });

  it('[CM19] without a project, it says how to make one', async () => {
    await answers(['status'], 5, /no agentxchain.json.*\n.*parley run init/);
    const gone = await line.here(['run', 'status', '--root', join(root, 'gone')]);
    expect(gone).toMatchObject({ code: 5, err: expect.stringContaining('does not exist') });
  });

  it('[CM19] reports every problem of an invalid project', async () => {
    writeFileSync(join(root, 'agentxchain.json'), '{');
    await answers(['init'], 2, 'expected JSON');
    configure({ schema_version: '2', roles: {} });
    const { code, err } = await run('init');
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringMatching(/schema_version: expected "1.0".*\n.*roles: /),
    });
    expect(existsSync(join(root, '.agentxchain'))).toBe(false);
  });

  it('[CM19] before a run has begun, it says how to begin it', async () => {
    configure(scripted(WORKS));
    for (const words of [['assign'], ['accept'], ['approve'], ['history'], ['resolve']]) {
      await answers([...words], 6, /no run has started.*\n.*parley run init/);
    }
    await answers(['status'], 0, 'no run has started');
  });
});

describe('a state that is none', () => {
  itDeep.each([
    ['{"status":', /state\.json: expected a JSON object/],
    ['{"status":"weird"}', /state\.json: .*status.*weird/],
  ])(
    '[CM19, GR10] reports %j with its file, and neither overwrites it nor treats it as no run',
    async (text, said) => {
      configure(scripted(WORKS));
      const file = join(root, '.agentxchain/state.json');
      mkdirSync(dirname(file));
      writeFileSync(file, text);
      for (const words of [['status'], ['assign'], ['history'], ['init'], ['init', '--new'], ['status']]) {
        const { code, out, err } = await run(...words);
        expect({ words, code, out, err }).toEqual({ words, code: 2, out: '', err: expect.stringMatching(said) });
        expect(err).toContain('Correct that file');
        expect(err).not.toContain('parley run init');
      }
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(existsSync(join(root, '.agentxchain/imported'))).toBe(false);
    },
    30_000,
  );
});

describe('init', () => {
  itDeep(
    '[CM19] makes a project that can be run, asks nothing, and never overwrites one',
    async () => {
      const first = await run('init');
      expect(first).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringMatching(
          /created .*\nrun_[0-9a-f]{16} started in phase planning\nNext: parley run assign pm\n/,
        ),
      });
      const made = readFileSync(join(root, 'agentxchain.json'), 'utf8');
      expect(Object.keys(JSON.parse(made).routing)).toEqual(['planning', 'implementation', 'qa']);
      await answers(['init', '--template', 'solo'], 2, 'not overwritten');
      await answers(['init'], 6, /is already active\nNext: parley run assign pm/);
      expect(readFileSync(join(root, 'agentxchain.json'), 'utf8')).toBe(made);
    },
    30_000,
  );

  it.each(['team', 'agents', 'solo'])('[CM19] the template %s can come to its end', async (template) => {
    const { admissionFaults } = await import('../../../src/governed/loop/prepare.ts');
    const { createTemplate: templateOf } = await import('../../../src/cli/governed/templates.ts');
    expect(admissionFaults(templateOf(template as 'team', 'My Lamp!'), () => false)).toEqual([]);
    expect(templateOf(template as 'team', 'My Lamp!').project).toEqual({ id: 'my-lamp-', name: 'My Lamp!' });
  });

  itDeep(
    '[CM19] reports uncommitted changes before it dispatches a turn',
    async () => {
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
      git('init', '-q');
      await run('init', '--template', 'solo');
      const { code, err } = await run('assign');
      expect({ code, err }).toMatchObject({ code: 6, err: expect.stringContaining('Commit or stash') });
      git('add', 'agentxchain.json');
      git('commit', '-qm', 'a project');
      expect(await run('assign')).toMatchObject({ code: 0 });
    },
    30_000,
  );
});

describe('a run by hand', () => {
  itDeep(
    '[CM20] refusals say what comes next: nothing staged, not whole, wrong, twice, a gate, the end',
    async () => {
      const id = await solo();
      await answers(['assign', 'dev'], 6, /already has the active turn turn_\w+\n.*parley run accept/);
      await answers(['assign', 'ghost'], 6, /"ghost" is not declared\n.*agentxchain.json/);
      await answers(['accept'], 6, /found none\nWrite the result/);
      await answers(['accept', 'turn_0'], 5, 'parley run status');
      stage(id, { summary: '' });
      await answers(['accept'], 6, /stage schema[\s\S]*parley run reject --reason/);
      stage(id, { run_completion_request: true });
      await answers(['approve'], 6, /it is active\nNext: .*parley run accept/);
      await answers(['accept'], 0, /awaiting human approval\n.*paused.*\nNext: parley run approve/);
      await answers(['accept', id], 6, 'parley run history');
      await answers(['assign'], 6, 'Next: parley run approve');
      await answers(['resolve'], 6, 'Next: parley run approve');
      await answers(['approve', '--note', 'seen'], 0, 'completed');
      await answers(['assign'], 6, 'parley run init --new');
      expect(await run('init', '--new')).toMatchObject({ code: 0 });
    },
    60_000,
  );

  itDeep(
    '[CM20] explains runner rejections in terms of the command line',
    async () => {
      const id = await solo();
      const told = async (words: readonly string[], said: RegExp) => {
        const { code, err } = await run(...words);
        expect({ words, code, err }).toEqual({ words, code: 6, err: expect.stringMatching(said) });
        expect(err).not.toMatch(/session|CLOSED|run\.escalated|allow_terminal_restart|initRun|approve_|needs a run/);
      };
      stage(id, { run_completion_request: true });
      await told(['init'], /run_\w+ is already active/);
      await told(['approve'], /no gate of run_\w+ awaits approval/);
      await run('block', '--reason', 'no oil');
      for (const words of [['reject', '--reason', 'x'], ['block', '--reason', 'x'], ['accept'], ['approve']]) {
        await told(words, /run_\w+ is blocked on escalation:operator:no-oil.*\nNext: parley run resolve/);
      }
      await told(['init'], /is blocked on .*\nNext: parley run resolve .*; or parley run init --new/);
      await run('resolve');
      await run('accept');
      await told(['block', '--reason', 'x'], /is paused: gate \w+ requires approval\nNext: parley run approve/);
      await run('approve');
      for (const words of [['block', '--reason', 'x'], ['resolve'], ['assign', 'dev'], ['approve'], ['init']]) {
        await told(words, /run_\w+ is completed.*\n.*parley run init --new/);
      }
    },
    60_000,
  );

  it('[CM20] status tells whose turn it is, since when, what waits and what to do', async () => {
    const id = await solo();
    const [out] = await json('status');
    expect(out).toMatchObject({
      root,
      status: 'active',
      phase: 'work',
      waits_for: 'dev',
      turns: [{ turn_id: id, role: 'dev', status: 'dispatched', attempt: 1, result: 'nothing' }],
      next: [expect.stringMatching(/^write .*turn-result.json, then: parley run accept turn_/)],
    });
    stage(id);
    const { out: shown } = await run('status');
    expect(shown).toMatch(/run_\w+ is active, phase work \(1 of 1\), for \d+ \w; 0 turns accepted\n/);
    expect(shown).toMatch(
      new RegExp(`${id} +dev +dispatched +1 +.* ago +in 1 h +staged\nNext: parley run accept ${id}\n`),
    );
  }, 30_000);

  it('[CM20] reject sends the same turn out again, and blocks when its tries are used up; resolve goes on', async () => {
    const id = await solo();
    stage(id);
    const again = await run('reject', '--reason', 'say more');
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`${id} is rejected: say more\n${id} is dispatched: dev, attempt 2`)),
    });
    expect(readFileSync(join(root, '.agentxchain/dispatch/turns', id, 'PROMPT.md'), 'utf8')).toContain('say more');
    expect(await json('reject', '--reason', 'no')).toMatchObject([{ escalated: true, state: { status: 'blocked' } }]);
    expect(await run('status')).toMatchObject({
      out: expect.stringMatching(/blocked on escalation:retries-exhausted:dev: no\n/),
    });
    expect(await json('resolve', '--note', 'talked')).toMatchObject([
      { state: { status: 'active', blocked_on: null } },
    ]);
    await answers(['assign'], 0, `${id} is dispatched: dev, attempt 2`);
    expect(await json('block', '--reason', 'Waiting for parts')).toMatchObject([
      { state: { status: 'blocked', blocked_on: 'escalation:operator:waiting-for-parts' } },
    ]);
  }, 60_000);

  it('[CM20] history and ledger are tables for people and lines for programs', async () => {
    const id = await solo();
    expect(await run('history')).toMatchObject({ code: 0, out: 'no turn was accepted yet\n' });
    expect(await run('ledger')).toMatchObject({ code: 0, out: 'no decision yet\n' });
    const decisions = [{ id: 'DEC-001', category: 'scope', statement: 'One lamp.', rationale: 'Small room.' }];
    stage(id, { decisions });
    expect(await json('accept')).toMatchObject([{ accepted: { turn_id: id }, state: { accepted_sequence: 1 } }]);
    expect((await run('history')).out).toMatch(
      new RegExp(`^# .*summary *\n1 +${id} +dev +work +completed +pass +.* Done\\.\n$`),
    );
    expect((await run('ledger')).out).toMatch(/DEC-001 .* scope .* One lamp\.\n$/);
    expect(await json('history')).toMatchObject([{ turn_id: id, summary: 'Done.' }]);
    expect(await json('ledger')).toMatchObject([{ id: 'DEC-001', turn_id: id }]);
  }, 30_000);
});

describe('a folder that another program has left', () => {
  it('[CM20] is shown as it is, and taken over by the first command that changes it', async () => {
    configure(scripted(WORKS));
    const turn = { turn_id: 'turn_old', assigned_role: 'dev', status: 'running', attempt: 1, runtime_id: 'script' };
    const state = { schema_version: '1.1', run_id: 'run_old', status: 'active', phase: 'work', turn_sequence: 1 };
    mkdirSync(join(root, '.agentxchain'));
    const file = join(root, '.agentxchain/state.json');
    writeFileSync(file, JSON.stringify({ ...state, active_turns: { turn_old: turn } }));
    const before = readFileSync(file, 'utf8');
    await answers(['status'], 0, /run_old is active[\s\S]*turn_old +dev +running/);
    expect(readFileSync(file, 'utf8')).toBe(before);
    stage('turn_old', { runtime_id: 'script', summary: 'Done elsewhere.', run_completion_request: true });
    expect(await json('loop', '--approve-gates')).toContainEqual(
      expect.objectContaining({ stop_reason: 'completed', turns_executed: 0 }),
    );
    expect(await json('history')).toMatchObject([
      { turn_id: 'turn_old', run_id: 'run_old', summary: 'Done elsewhere.' },
    ]);
    expect(existsSync(join(root, '.agentxchain/imported'))).toBe(true);
  }, 30_000);
});
