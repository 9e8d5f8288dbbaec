// `parley run loop`: it goes on until a gate, a failure, a limit or Ctrl-C, and always says what comes next.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Joined, linesOf } from '../../support/command-line.ts';
import { itDeep } from '../../support/size.ts';
import { answers, configure, json, line, root, run, scripted, useProject, WORKS } from './project.ts';

useProject();

describe('loop', () => {
  itDeep(
    '[CM21] stops at a gate, opens it only if told, and never one that needs a credential',
    async () => {
      configure(scripted(WORKS, { gates: { done: { credentialed: true } } }));
      const held = await run('loop', '--approve-gates');
      expect(held).toMatchObject({
        code: 0,
        out: expect.stringMatching(/✓ dev: The lamp is lit\.\n◆ gate done awaits.*\n◆ gate done stays closed\n/),
      });
      expect(held.out).toContain('Next: parley run approve');
      configure(scripted(WORKS));
      await answers(['loop'], 0, 'gate held');
      const lines = await json('loop', '--approve-gates');
      expect(lines.map(({ event }) => event)).toEqual(['gate_paused', 'gate_approved', 'completed', 'ended']);
      expect(lines.at(-1)).toMatchObject({ ok: true, stop_reason: 'completed', gates_approved: 1, errors: [] });
      await answers(['loop', '--new', '--max-turns', '1'], 0, '→ dev has turn_');
    },
    60_000,
  );

  it('[CM21] exits with a code, the reason and the next step when a program fails', async () => {
    configure(scripted('process.exit(7)', { rules: { max_turn_retries: 1 } }));
    const { code, out, err } = await run('loop');
    expect({ code, out }).toMatchObject({
      code: 6,
      out: expect.stringMatching(/■ the run is blocked on dispatch:process_exit: .*\n[\s\S]*Next: parley run resolve/),
    });
    expect(err).toContain('dispatch_blocked');
    configure({ ...scripted(WORKS), gates: { done: { requires_files: ['.agentxchain/state.json'] } } });
    rmSync(join(root, '.agentxchain'), { recursive: true });
    await answers(['loop'], 2, /admission rejected\n.*file_without_producer/);
  }, 60_000);

  const inProject = (...args: string[]) => new Joined(line.spawn(['run', 'loop', ...args, '--root', root, '--json']));

  itDeep(
    '[CM21] stops cleanly on Ctrl-C, and the next loop continues the same turn',
    async () => {
      configure(scripted('setInterval(() => {}, 1000)'));
      const running = inProject();
      await running.says('turn_assigned');
      while (!existsSync(join(root, '.agentxchain/dispatch/index.json')))
        await new Promise((next) => setImmediate(next));
      running.child.kill('SIGINT');
      expect(await running.ended).toBe(0);
      expect(linesOf(running.out).at(-1)).toMatchObject({ event: 'ended', stop_reason: 'aborted' });
      const [{ turn_id } = {}] = linesOf(running.out);
      configure(scripted(WORKS));
      const [, ended] = [null, await json('loop', '--approve-gates')];
      expect(ended.at(-1)).toMatchObject({
        stop_reason: 'completed',
        turn_history: [{ turn_id, attempt: 1, accepted: true }],
      });
    },
    60_000,
  );

  itDeep(
    '[CM21] a second Ctrl-C ends it at once',
    async () => {
      // It ignores SIGTERM: a clean stop would take five seconds.
      configure(
        scripted(
          'process.on("SIGTERM", () => {}); require("node:fs").writeFileSync("out", "1"); setInterval(() => {}, 1000)',
        ),
      );
      const running = inProject();
      while (!existsSync(join(root, 'out'))) await new Promise((next) => setTimeout(next, 20));
      running.child.kill('SIGINT');
      while (!running.err.includes('once more')) await new Promise((next) => setTimeout(next, 5));
      running.child.kill('SIGINT');
      expect(await running.ended).toBe(130);
    },
    60_000,
  );

  itDeep.each([0, 5])(
    '[CM21] reports an adapter that ends the process with %d, and exits with an error',
    async (given) => {
      const adapters = { mine: { module: './mine.mjs' } };
      configure({ ...scripted(''), adapters, runtimes: { script: { type: 'mine' } } });
      const steps = `dispatch: async () => process.exit(${given}), wait: async () => ({}), collect: async () => ({})`;
      writeFileSync(join(root, 'mine.mjs'), `export default { ${steps} };`);
      const running = inProject();
      expect(await running.ended).toBe(1);
      const [{ turn_id } = {}] = linesOf(running.out);
      expect(running.err).toContain(`while ${turn_id} (dev) was dispatched`);
      expect(running.err).toContain(`exit code ${given}`);
      configure(scripted(WORKS));
      const again = await json('loop', '--approve-gates');
      expect(again.at(-1)).toMatchObject({ turn_history: [{ turn_id, attempt: 1, accepted: true }] });
    },
    60_000,
  );

  it('[CM21, GA1] reports invalid adapter settings by field: at init, and before the loop dispatches anything', async () => {
    const runtimes = {
      script: { type: 'local_cli', args: 'none', timeout_ms: -1 },
      far: { type: 'remote_agent', url: 'ftp://example.org' },
      mine: { type: 'own' },
      unused: { type: 'local_cli' },
    };
    const roles = { dev: { runtime: 'script' }, ops: { runtime: 'far' }, pm: { runtime: 'mine' } };
    configure({ ...scripted(''), runtimes, roles, adapters: { own: { module: 7 } } });
    const wrong = [
      'runtimes.script.command: ',
      'runtimes.script.args: ',
      'runtimes.script.timeout_ms: ',
      'runtimes.far.url: expected an http or https URL',
      'adapters.own.module: expected the path of a module',
    ];
    const loop = await run('loop');
    expect(loop.code).toBe(2);
    expect(existsSync(join(root, '.agentxchain/state.json'))).toBe(false);
    const init = await run('init');
    expect(init.code).toBe(0);
    for (const told of [loop.err, init.err]) {
      for (const words of wrong) expect(told).toContain(words);
      expect(told).not.toContain('unused');
    }
  }, 60_000);
});
