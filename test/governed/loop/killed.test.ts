// kill -9 at any step of the loop: the next loop continues, and nothing is duplicated.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { engine } from 'parley-hub/governed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltScripts, builtScripts } from '../../support/built-script.ts';
import { runs } from '../../support/size.ts';
import { Scene } from './scene.ts';

/** Number of kill points, spread over all steps. */
const POINTS = runs(8, 3);

describe('a loop that is killed', () => {
  let built: BuiltScripts;
  beforeAll(async () => {
    built = await builtScripts([join(import.meta.dirname, 'killed-child.ts')]);
  }, 60_000);
  afterAll(() => built.remove());

  async function child(root: string, at: number): Promise<{ signal: string | null; out: string }> {
    const running = spawn(process.execPath, [built.paths[0] ?? '', root, String(at)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    running.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const [, signal] = await once(running, 'close');
    return { signal, out };
  }

  it('[GL17] is followed by one that completes the run, with every turn once in history and events', async () => {
    const whole = new Scene();
    const { steps } = JSON.parse((await child(whole.root, 0)).out);
    whole.remove();
    expect(steps).toBeGreaterThan(100);
    const points = Array.from({ length: POINTS }, (_, n) => 1 + Math.floor(((n + 0.5) * steps) / POINTS));
    for (const at of points) {
      const scene = new Scene();
      expect(await child(scene.root, at), `step ${at}`).toMatchObject({ signal: 'SIGKILL', out: '' });
      const after = JSON.parse((await child(scene.root, 0)).out);
      expect(after, `step ${at}`).toMatchObject({ stop_reason: 'completed', errors: [] });
      const history = scene.lines('history.jsonl');
      expect(
        history.map(({ role }) => role),
        `step ${at}`,
      ).toEqual(['pm', 'dev', 'qa']);
      expect(new Set(history.map(({ turn_id }) => turn_id)).size).toBe(3);
      const events = scene.lines('events.jsonl');
      expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
      expect(engine.orderFaults(events), `step ${at}`).toEqual([]);
      expect(await scene.state()).toMatchObject({ status: 'completed', active_turns: {}, accepted_sequence: 3 });
      scene.remove();
    }
  }, 300_000);
});
