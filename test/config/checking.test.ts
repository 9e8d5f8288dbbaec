// The shape of a config file, and the problems reported for a wrong one.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { checkConfigValues } from '../../src/config/checks/check-values.ts';
import { checkShape } from '../../src/config/shape/check-shape.ts';
import { configFolder } from './configs.ts';

const folder = configFolder();

describe('the shape of a config', () => {
  it('[CF2] reports all problems together, in file order, with the received values', async () => {
    const text = `hub:
  prot: 1
  limits: { maxTaskz: 3 }
  connectionLimits: { pingMs: 0 }
port: 3
log_level: warn
agents:
  Bob!: { script: x }
  ben:
    script: x
    timeout: soon
    passEnv: [A, 7]
    parallel: 0
    veiw: x
schedules:
  x: { as: a, cron: never, type: t, participants: [] }
nothing: here
`;
    expect(await folder.wrong('all.yaml', text)).toEqual([
      'all.yaml:2:3: hub.prot: unknown setting; did you mean port?',
      'all.yaml:3:13: hub.limits.maxTaskz: unknown setting; did you mean maxTasks?',
      'all.yaml:4:31: hub.connectionLimits.pingMs: expected a number > 0, got 0',
      'all.yaml:5:1: port: belongs in hub: hub.port',
      'all.yaml:6:1: log_level: belongs in hub: hub.logLevel',
      'all.yaml:8:3: agents["Bob!"]: expected a name of a-z 0-9 . _ - (1 to 64 characters, starting with a letter or digit)',
      'all.yaml:11:5: agents.ben.timeout: has no effect with script; it applies to model, cli, command',
      'all.yaml:11:14: agents.ben.timeout: expected a duration such as 30s, 15m, 2h, 1d or seconds (at most 36500d), got "soon"',
      'all.yaml:12:5: agents.ben.passEnv: has no effect with script; it applies to cli, command',
      'all.yaml:12:18: agents.ben.passEnv[1]: expected a name such as HTTPS_PROXY, got 7',
      'all.yaml:13:15: agents.ben.parallel: expected a whole number from 1 to 1000, got 0',
      'all.yaml:14:5: agents.ben.veiw: unknown setting; did you mean view?',
      expect.stringMatching(/^all\.yaml:16:21: schedules\.x\.cron: expected a cron expression .*, got "never"$/),
      'all.yaml:16:51: schedules.x.participants: expected at least one name, got an array of 0',
      expect.stringMatching(/^all\.yaml:17:1: nothing: unknown setting; valid settings: hub, agents, .*schedules$/),
    ]);
  });

  it('[CF2] reports arbitrary values in any place without throwing', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const names = ['hub', 'agents', 'roles', 'rules', 'schedules', 'bob', 'model', 'view', 'auth', 'cron', 'zone', 'x'];
    const key = fc.constantFrom(...names);
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    })).value;
    fc.assert(
      fc.property(tree, (value) => {
        const shaped = checkShape(value, value);
        const problems = [...('problems' in shaped ? shaped.problems : []), ...checkConfigValues(value, value, {})];
        expect(problems.every(({ text }) => text !== '')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('[CF4] shows a key in no error, wherever it was put', async () => {
    const key = 'zq-9f8e7d6c5b4a';
    const wrongs = [
      { agents: { a: { model: 'openai:x', apiKey: [key] } } },
      { agents: { a: { model: 'openai:x', apiKey: key, baseUrl: 'ftp://x' } } },
      { agents: { a: { model: key, apiKey: key } } },
      { agents: { a: { model: '${K}', apiKey: '${K}', timeout: '${K}', view: '${K}', role: '${K}' } } },
      { agents: { a: { command: '${K}', cwd: '${K}/x', passEnv: ['${K}'] } } },
      { hub: { port: '${K}', host: 7, logLevel: '${K}' }, roles: { r: { promptFile: '${K}' } } },
      { agents: { a: { model: 'openai:x', api_key: key } } },
      { schedules: { s: { as: 'a', cron: '${K}', zone: '${K}', type: 'x', participants: ['b'] } } },
    ];
    for (const [at, wrong] of wrongs.entries()) {
      const file = await folder.write('key.yaml', stringify(wrong));
      const lines = await folder.problems(file, { K: key, PATH: '' });
      expect(lines.join('\n'), String(at)).toMatch(/^key\.yaml(?![\s\S]*9f8e7d)/);
    }
  });
});
