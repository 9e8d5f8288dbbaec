// The command as a user meets it: in a pipe, in a terminal, and asked wrongly.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { type Ended, read, required, run } from './package/repository.ts';

const SOURCES = ['--conditions=parley-source', '--import', 'tsx', 'src/node/cli.ts'];
const DEMO_LINE = [process.execPath, ...SOURCES, 'demo'].map((word) => `'${word}'`).join(' ');
const LONGEST_MS = 20_000;
const ESC = '\u001b';

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

const { NO_COLOR: _noColour, FORCE_COLOR: _forceColour, ...plainEnv } = process.env;
const terminalEnv = { ...plainEnv, TERM: 'xterm-256color' };

function parley(...args: string[]): Promise<Ended> {
  return run(process.execPath, [...SOURCES, ...args], { env: plainEnv });
}

let ended: Promise<Ended & { readonly ms: number }> | undefined;

/** Runs it once for all who ask. */
function plainDemo(): Promise<Ended & { readonly ms: number }> {
  const begin = performance.now();
  ended ??= parley('demo').then((result) => ({ ...result, ms: performance.now() - begin }));
  return ended;
}

/** The demonstration in a pseudo-terminal as wide as without one, so that the lines are the same. */
async function parleyDemoInPty(env: NodeJS.ProcessEnv): Promise<Ended> {
  const { code, output } = await run('script', ['-qec', `stty cols 100; ${DEMO_LINE}`, '/dev/null'], { env });
  return { code, output: output.replaceAll('\r\n', '\n') };
}

/** Session ids are different each time. */
function withoutIds(text: string): string {
  return text.replace(/[0-9a-f]{32}/g, '<id>').replace(/ +$/gm, '');
}

function withoutColour(text: string): string {
  return text.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '');
}

describe('parley demo without a terminal', () => {
  it('[PK6] ends by itself with exit code 0, without a colour or a moved cursor', async () => {
    const { code, output, ms } = await plainDemo();
    expect(code, output).toBe(0);
    expect(ms).toBeLessThan(LONGEST_MS);
    expect(output).not.toContain(ESC);
    expect(output).not.toContain('\r');
  });

  it('[PK6] shows two sessions go through their states, with invites, turns, a refusal and a repeat', async () => {
    const { output } = await plainDemo();
    const states = [...output.matchAll(/^(INVITED|ACTIVE|CLOSING|CLOSED|EXPIRED) +(\d+) /gm)];
    expect(states.map(([, state, seq]) => `${state} ${seq}`)).toEqual([
      'INVITED 1',
      'ACTIVE 4',
      'CLOSING 7',
      'CLOSED 8',
      'INVITED 1',
      'ACTIVE 4',
      'CLOSING 10',
      'CLOSED 11',
    ]);
    const unwrapped = output.replace(/\n {23}/g, ' ');
    for (const line of [
      'invites coder',
      'coder accepts the invite',
      "planner's turn",
      "refused, not_your_turn: consulting expects 'planner' (initiator) to ask first, got 'coder'",
      "coder's turn",
      'is answered "duplicate": it is seq 5, in the log once',
      'no more posts: consulting_complete',
      'has heard of it (ack of 7)',
      'either may speak',
      'What to try next',
    ]) {
      expect(unwrapped).toContain(line);
    }
  });

  it('[PK6] is what the picture in the README shows', async () => {
    // If the demonstration was changed on purpose: node .ci/draw-demo.mjs
    const { output } = await plainDemo();
    expect(pictureText(read('docs/demo.svg'))).toBe(withoutIds(output).trimEnd());
  });

  it.skipIf(process.platform === 'win32')('[PK6] minds nobody who stops reading', async () => {
    const { output } = await run('sh', ['-c', `{ ${DEMO_LINE}; echo "exit $?" >&2; } | head -n 1`], { env: plainEnv });
    expect(output.split('\n').slice(1)).toEqual(['exit 0', '']);
  });
});

describe.concurrent('parley demo in a terminal', () => {
  const skips = !hasPty && !required('pty');
  const why = hasPty ? '' : ' (skipped: the command "script" of util-linux is missing)';

  it.skipIf(skips)(
    `[PK6] colours the speakers, moves no cursor and ends in time${why}`,
    async () => {
      expect(hasPty, 'PARLEY_REQUIRE asks for a pseudo-terminal').toBe(true);
      const begin = performance.now();
      const { code, output } = await parleyDemoInPty(terminalEnv);
      expect(code, output).toBe(0);
      expect(performance.now() - begin).toBeLessThan(LONGEST_MS);
      expect(new Set(colourOf(output, 'planner')).size).toBe(1);
      expect(new Set(['planner', 'coder', 'reviewer'].map((name) => colourOf(output, name)[0])).size).toBe(3);
      expect(withoutColour(output)).not.toContain(ESC);
      expect(withoutIds(withoutColour(output))).toBe(withoutIds((await plainDemo()).output));
    },
    60_000,
  );

  it.skipIf(skips)(
    `[PK6] obeys NO_COLOR${why}`,
    async () => {
      const { code, output } = await parleyDemoInPty({ ...terminalEnv, NO_COLOR: '1' });
      expect(code, output).toBe(0);
      expect(output).not.toContain(ESC);
    },
    60_000,
  );
});

describe('parley', () => {
  it.each(['--help', '-h'])('%s tells all there is', async (flag) => {
    const { code, output } = await parley(flag);
    expect(code).toBe(0);
    for (const word of ['Usage: parley', 'demo', '--help', '--version', 'NO_COLOR', 'Exit codes', 'Examples']) {
      expect(output).toContain(word);
    }
  });

  it('demo --help tells it too, and runs nothing', async () => {
    expect(await parley('demo', '--help')).toEqual(await parley('--help'));
  });

  it.each(['--version', '-v'])('%s is the version of the package', async (flag) => {
    expect(await parley(flag)).toEqual({ code: 0, output: `${manifest.version}\n` });
  });

  const next = 'Try "parley demo", or "parley --help" for all there is.';
  it.each([
    [[], 'parley: a command is missing'],
    [['dmeo'], 'parley: there is no command "dmeo"'],
    [['demo', 'twice'], 'parley: "demo" takes no arguments, got "twice"'],
    [['demo', '--loud'], "parley: Unknown option '--loud'"],
  ])('%j exits with 2 and says what to do next', async (args, problem) => {
    expect(await parley(...args)).toEqual({ code: 2, output: `${problem}\n${next}\n` });
  });
});

/** The codes a name is painted with. */
function colourOf(output: string, name: string): string[] {
  return [...output.matchAll(new RegExp(`${ESC}\\[(\\d+)m${name} +${ESC}`, 'g'))].map(([, code]) => String(code));
}

/** The picture's lines as text: each piece stands in its column. */
function pictureText(svg: string): string {
  const lines = [...svg.matchAll(/<text y="\d+"[^>]*>(.*)<\/text>/g)].map(([, spans = '']) => {
    let line = '';
    for (const [, x, piece = ''] of spans.matchAll(/<tspan x="([\d.]+)"[^>]*>(.*?)<\/tspan>/g)) {
      line = line.padEnd(Math.round((Number(x) - 18) / 8.4)) + piece;
    }
    return line;
  });
  const text = lines.join('\n').replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<');
  return withoutIds(text.replaceAll('&amp;', '&'));
}
