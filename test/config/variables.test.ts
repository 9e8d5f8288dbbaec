// `${NAME}` and `${NAME:-default}` in the texts of a config file.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, expandVariables } from '../../src/config/reading/variables.ts';
import { configFolder } from './configs.ts';

const env = { KEY: 'k-123456', EMPTY: '', DOLLAR: 'a${KEY}b', PORT: '4848', YES: 'true' };

const inFiles = configFolder();

describe('variables', () => {
  it('[CF3] a reference that is the whole text may stand for true, false or a number wherever one is taken', async () => {
    const config = await inFiles.load(
      'whole.yaml',
      'agents:\n  a: {script: x, tools: "${YES}"}\n  b: {script: x, tools: "${NO}"}\nextract: {corrections: "${ONE}"}\n',
      { ...env, NO: 'false', ONE: '1' },
    );
    expect(config.config).toMatchObject({
      agents: { a: { tools: true }, b: { tools: false } },
      extract: { corrections: 1 },
    });
    expect(await inFiles.wrong('whole.yaml', 'agents:\n  a: {script: x, tools: "${KEY}"}\n', env)).toEqual([
      expect.stringMatching(
        /^whole\.yaml:2:25: agents\.a\.tools: expected true or false, or a list of say, .*, got "\$\{KEY\}"$/,
      ),
    ]);
  });

  it.each([
    ['${KEY}', 'k-123456'],
    ['Bearer ${KEY}!', 'Bearer k-123456!'],
    ['${KEY}${KEY}', 'k-123456k-123456'],
    ['${NONE:-4747}', '4747'],
    ['${NONE:-}', ''],
    ['${NONE:-a:-b}', 'a:-b'],
    ['${KEY:-other}', 'k-123456'],
    ['${EMPTY}', ''],
    ['${EMPTY:-other}', 'other'],
    ['$${KEY}', '${KEY}'],
    ['$${', '${'],
    ['$$${KEY}', '$${KEY}'],
    ['$KEY and $ and {KEY} and $$', '$KEY and $ and {KEY} and $$'],
    ['${DOLLAR}', 'a${KEY}b'],
  ])('[CF3] %s stands for %j', (text, expected) => {
    expect(expandVariables({ a: [text] }, env)).toMatchObject({ value: { a: [expected] }, problems: [] });
  });

  it.each([
    ['${NONE}', 'the variable NONE is not set'],
    ['${}', 'expected ${NAME} or ${NAME:-default}; a plain "${" is written "$${"'],
    ['${KEY', 'expected ${NAME} or ${NAME:-default}; a plain "${" is written "$${"'],
    ['${1ST}', 'expected ${NAME} or ${NAME:-default}; a plain "${" is written "$${"'],
    ['${KEY-x}', 'expected ${NAME} or ${NAME:-default}; a plain "${" is written "$${"'],
    ['${NONE:-${KEY}}', 'expected no "${" within "${…}": defaults are not expanded'],
    ['a ${NONE:-x${KEY}y} b', 'expected no "${" within "${…}": defaults are not expanded'],
    ['${ KEY }', 'expected ${NAME} or ${NAME:-default}; a plain "${" is written "$${"'],
  ])('[CF3] %s is told with its key', (text, problem) => {
    expect(expandVariables({ a: [text] }, env).problems).toEqual([{ path: ['a', 0], text: problem }]);
  });

  it('[CF3] a text without a $ stays as it is, and a value is never read for variables itself', () => {
    const plain = fc.string().filter((text) => !text.includes('$'));
    fc.assert(
      fc.property(plain, plain, fc.string(), (before, after, value) => {
        const { value: got, problems } = expandVariables(`${before}\${X}${after}`, { X: value });
        expect({ got, problems }).toEqual({ got: before + value + after, problems: [] });
        expect(expandVariables(`${before}$\${${after}`, {}).value).toBe(`${before}\${${after}`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('[CF3] keys are left alone, members that are undefined are left out, and what is no data is left as it is', () => {
    const schema = new Map();
    const { value } = expandVariables({ '${KEY}': 1, none: undefined, schema, list: [null, true] }, env);
    expect(value).toEqual({ '${KEY}': 1, schema, list: [null, true] });
    expect(Object.keys(value as object)).toEqual(['${KEY}', 'schema', 'list']);
  });

  it('[CF2] a value that stands within itself, and a key __proto__, are told and not followed', () => {
    const loop: Record<string, unknown> = {};
    loop.again = loop;
    expect(expandVariables(loop, {}).problems).toEqual([{ path: ['again'], text: 'expected at most 64 levels' }]);
    const { value, problems } = expandVariables(JSON.parse('{"a": {"__proto__": {"b": 1}}}'), {});
    expect(problems).toEqual([{ path: ['a', '__proto__'], part: 'key', text: 'this key is not allowed' }]);
    expect(Reflect.get(Reflect.get(value as object, 'a'), 'b')).toBeUndefined();
  });

  it('[CF4] what came from the environment is shown by its name', () => {
    const hide = createRedactor(
      new Map([
        ['k-123456', 'KEY'],
        ['k-123456-long', 'LONG'],
        ['4848', 'PORT'],
      ]),
    );
    expect(hide('k-123456-long and k-123456 at 4848')).toBe('${LONG} and ${KEY} at 4848');
  });
});

describe('variables of a file', () => {
  const folder = configFolder();

  it('[CF3] one that is not set is told with file, place, key and its name; all of them at once', async () => {
    const text = 'hub:\n  host: ${A}\nagents:\n  bob:\n    script: ${B}/x.mjs\n    prompt: "${"\n';
    expect(await folder.wrong('a.yaml', text)).toEqual([
      'a.yaml:2:9: hub.host: the variable A is not set',
      'a.yaml:5:13: agents.bob.script: the variable B is not set',
      'a.yaml:6:13: agents.bob.prompt: expected ${NAME} or ${NAME:-default}; a plain "${" is written "$${"',
    ]);
  });

  it('[CF3] a reference that stands alone may be a number, or true or false', async () => {
    const text = '{"hub": {"port": "${PORT}", "auth": {"tokens": "${YES}"}, "limits": {"maxTasks": "${N:-7}"}}}';
    const { config } = await folder.load('n.json', text, env);
    expect(config.hub).toEqual({ port: 4848, auth: { tokens: true }, limits: { maxTasks: 7 } });
  });

  it('[CF3, CF4] one that is no number is shown as the file has it', async () => {
    const text = '{"hub": {"port": "${KEY}", "limits": {"maxTasks": "1${KEY}"}, "logLevel": "${KEY}"}}';
    expect(await folder.wrong('n.json', text, env)).toEqual([
      'n.json:1:18: hub.port: expected a whole number from 0 to 65535, got "${KEY}"',
      'n.json:1:51: hub.limits.maxTasks: expected a whole number > 0, got "1${KEY}"',
      'n.json:1:75: hub.logLevel: expected one of debug, info, warn, error, silent, got "${KEY}"',
    ]);
  });
});
