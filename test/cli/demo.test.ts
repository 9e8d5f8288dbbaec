// The command as a user meets it: in a pipe, in a terminal, and asked wrongly.

import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type Ended, read, required, run } from '../package/repository.ts';
import { builtCommand } from '../server/up-process.ts';
import type { BuiltScript } from '../support/built-script.ts';
import { itDeep } from '../support/size.ts';

const LONGEST_MS = 20_000;
const ESC = '\u001b';

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

const { NO_COLOR: _noColour, FORCE_COLOR: _forceColour, ...plainEnv } = process.env;
const terminalEnv = { ...plainEnv, TERM: 'xterm-256color' };

let command: BuiltScript;
beforeAll(async () => {
  command = await builtCommand();
});
afterAll(() => command.remove());

function parley(...args: string[]): Promise<Ended> {
  return run(process.execPath, [command.path, ...args], { env: plainEnv });
}

let ended: Promise<Ended & { readonly ms: number }> | undefined;

/** Runs it once for all who ask. */
function plainDemo(): Promise<Ended & { readonly ms: number }> {
  const begin = performance.now();
  ended ??= parley('demo').then((result) => ({ ...result, ms: performance.now() - begin }));
  return ended;
}

function demoLine(): string {
  return [process.execPath, command.path, 'demo'].map((word) => `'${word}'`).join(' ');
}

/** The demonstration in a pseudo-terminal as wide as without one, so that the lines are the same. */
async function parleyDemoInPty(env: NodeJS.ProcessEnv): Promise<Ended> {
  const { code, output } = await run('script', ['-qec', `stty cols 100; ${demoLine()}`, '/dev/null'], { env });
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
  itDeep('[PK6] ends by itself with exit code 0, without a colour or a moved cursor', async () => {
    const { code, output, ms } = await plainDemo();
    expect(code, output).toBe(0);
    expect(ms).toBeLessThan(LONGEST_MS);
    expect(output).not.toContain(ESC);
    expect(output).not.toContain('\r');
  });

  it('[PK6] shows five sessions go through their states, with invites, turns, a refusal and a repeat', async () => {
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
      'INVITED 1',
      'ACTIVE 8',
      'CLOSING 17',
      'CLOSED 18',
      'INVITED 1',
      'ACTIVE 6',
      'CLOSING 16',
      'CLOSED 17',
      'INVITED 1',
      'ACTIVE 10',
      'CLOSING 15',
      'CLOSED 16',
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
      'planner and coder have acked 7',
      'either may speak',
      'What to try next',
    ]) {
      expect(unwrapped).toContain(line);
    }
  });

  it('[PK6] shows four speak in turn, and one refused out of turn', async () => {
    const lines = linesOf((await plainDemo()).output, 'discussion');
    expect(lines.slice(0, 6)).toEqual([
      '1 hub: planner opens a discussion session (ordering round_robin, rounds 2)',
      '2–4 hub: invites coder, reviewer and tester',
      '5–7 hub: coder, reviewer and tester accept their invites',
      "8 hub: the session is open ▸ planner's turn",
      '· tester: has an opinion already',
      "✗ tester: refused, not_your_turn: discussion expects 'planner' to speak, got 'tester'",
    ]);
    expect(lines.filter((line) => /^(9|1\d) /.test(line))).toEqual([
      "9 planner: When do we release the export? ▸ coder's turn",
      "10 coder: It is merged. When the review is done. ▸ reviewer's turn",
      "11 reviewer: Friday, if the tests pass. ▸ tester's turn",
      "12 tester: They pass, but for one. ▸ planner's turn",
      "13 planner: So, is it Friday? ▸ coder's turn",
      "14 coder: Yes. ▸ reviewer's turn",
      "15 reviewer: Then I sign it off. ▸ tester's turn",
      '16 tester: All green now.',
      '17 hub: no more posts: rounds_complete',
      '18 hub: it is over: rounds_complete',
    ]);
    expect(lines.find((line) => line.startsWith('✓'))).toMatch(/have acked 17$/);
  });

  it('[PK6] shows a discussion as one of its participants sees it', async () => {
    const lines = linesOf((await plainDemo()).output, 'discussion');
    expect(lines.slice(-5)).toEqual([
      '· reviewer: sees it as windowed_summary (recent_n 3, named true):',
      '│ user: Earlier in this session: 5 messages from planner, coder, reviewer, tester.',
      '│ user: [coder]: Yes.',
      '│ assistant: Then I sign it off.',
      '│ user: [tester]: All green now.',
    ]);
  });

  it('[PK6] shows a turn that is missed: the warning, the hide, the turn passing on, and the return', async () => {
    const lines = linesOf(withoutIds((await plainDemo()).output), 'deadlines');
    expect(lines.slice(4).filter((line) => !line.startsWith('✓'))).toEqual([
      '· rule: if coder has the turn for 1 s ▸ warn',
      '· rule: if coder has the turn for 2 s ▸ hide',
      "7 planner: Do we release today? ▸ coder's turn",
      '· coder: says nothing, and time goes by',
      '8 hub: warn: coder has had the turn since seq 7 for more than 1 s',
      '9 hub: hide: coder has had the turn since seq 7 for more than 2 s',
      "10 hub: coder is hidden: expectation_violated:turn_within ▸ reviewer's turn",
      "11 reviewer: Not today. The export has a bug. ▸ planner's turn",
      '· coder: has read the warning too late, and speaks',
      '✗ coder: refused, not_your_turn: you are hidden in session <id> since seq 10 and cannot post; return to the session first (return_to_session)',
      '12 hub: coder is back',
      "13 planner: Coder, what do you say? ▸ coder's turn",
      "14 coder: I was lost in a bug. It is fixed. ▸ reviewer's turn",
      '15 reviewer: Then I see no reason to wait.',
      '16 hub: no more posts: rounds_complete',
      '17 hub: it is over: rounds_complete',
    ]);
  });

  it('[PK6] shows a workflow take the branch that the context says, a handoff, and a finish with its reason', async () => {
    const lines = linesOf((await plainDemo()).output, 'workflow');
    expect(lines.slice(0, -1).filter((line) => !/^[✓2-9]/.test(line))).toEqual([
      '1 hub: maria opens a workflow session',
      "10 hub: the session is open ▸ maria's turn",
      '· rule: after maria ▸ triage',
      '· rule: after triage, if topic = billing ▸ billing',
      '· rule: after triage, if topic = network ▸ network',
      "11 maria: I was charged twice for the export. ▸ triage's turn",
      "12 triage: It is about billing. [topic = billing] ▸ billing's turn",
      "13 billing: Two charges of 480. (handoff to lead: over 100) ▸ lead's turn",
      '14 lead: 480 are on their way back. (finished: refunded)',
      '15 hub: no more posts: refunded',
    ]);
    expect(lines.at(-1)).toBe('16 hub: it is over: refunded');
  });

  it('[PK6] is what the picture in the README shows', async () => {
    // If the demonstration was changed on purpose: node .ci/draw-demo.mjs
    const { output } = await plainDemo();
    const pictured = output.slice(output.indexOf('── discussion'), output.indexOf('What to try next'));
    expect(pictureText(read('docs/demo.svg'))).toBe(withoutIds(pictured).trimEnd());
  });

  it.skipIf(process.platform === 'win32')('[PK6] minds nobody who stops reading', async () => {
    const { output } = await run('sh', ['-c', `{ ${demoLine()}; echo "exit $?" >&2; } | head -n 1`], { env: plainEnv });
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
      expect(new Set(['planner', 'coder', 'reviewer', 'tester'].map((name) => colourOf(output, name)[0])).size).toBe(4);
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
    for (const word of ['Usage: parley', 'demo', '--help', '--version', 'environment', 'exit-codes', 'Examples']) {
      expect(output).toContain(word);
    }
  });

  it('demo --help tells of the demonstration, and runs nothing', async () => {
    const { code, output } = await parley('demo', '--help');
    expect(code).toBe(0);
    expect(output).toMatch(/^Usage: parley demo \[options\]\n/);
    expect(output).not.toContain('planner');
  });

  itDeep.each(['--version', '-v'])('%s is the version of the package', async (flag) => {
    // From sources, because files built for a test are outside the package.
    const loaded = ['--conditions=parley-source', '--import', 'tsx', 'src/cli/main.ts', flag];
    expect(await run(process.execPath, loaded)).toEqual({ code: 0, output: `${manifest.version}\n` });
  });

  itDeep.each([
    [[], 'parley: missing command', 'Try "parley demo", or run "parley --help" for all commands.'],
    [['dmeo'], 'parley: unknown command "dmeo"', 'Did you mean "parley demo"? Run "parley --help" for all commands.'],
    [
      ['demo', 'twice'],
      'parley: "demo" takes no arguments, got "twice"',
      'Usage: parley demo. Run "parley demo --help" for details.',
    ],
    [['demo', '--loud'], "parley: Unknown option '--loud'", 'Run "parley demo --help" for its options.'],
  ])('%j exits with 2 and says what to do next', async (args, problem, next) => {
    expect(await parley(...args)).toEqual({ code: 2, output: `${problem}\n${next}\n` });
  });
});

/** One session of the demonstration, a line per line of it: its mark, who, what, and who may speak from there on. */
function linesOf(output: string, type: string): string[] {
  const [, ...scenes] = (output.split('\nWhat to try next')[0] ?? '').split(/^── (?=\w+: )/m);
  const scene = scenes.find((text) => text.startsWith(`${type}: `)) ?? '';
  return scene
    .replace(/\n {23}/g, ' ')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const who = line.slice(13, 23).trim();
      return `${line.slice(8, 11).trim()} ${who}: ${line.slice(23).replace(/ {2,}▸/, ' ▸')}`;
    });
}

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
