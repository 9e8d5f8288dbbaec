// `${NAME}` and `${NAME:-default}` in the texts of a config file.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, expandVariables } from '../../src/config/reading/variables.ts';
import { configFolder } from './configs.ts';

const env = { KEY: 'k-123456', EMPTY: '', DOLLAR: 'a${KEY}b', PORT: '4848', YES: 'true' };

const inFiles = configFolder();

const FORM = 'expected ${NAME} or ${NAME:-default}; a plain "${" is written "$${"';
const NESTED = 'expected no "${" within "${…}": defaults are not expanded';

describe('variables', () => {
  it('[CF3] converts a reference that is the whole text to the expected boolean or number', async () => {
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
  ])('[CF3] %s expands to %j', (text, expected) => {
    expect(expandVariables({ a: [text] }, env)).toMatchObject({ value: { a: [expected] }, problems: [] });
  });

  it.each([
    ['${NONE}', 'the variable NONE is not set'],
    ['${}', FORM],
    ['${KEY', FORM],
    ['${1ST}', FORM],
    ['${KEY-x}', FORM],
    ['${NONE:-${KEY}}', NESTED],
    ['a ${NONE:-x${KEY}y} b', NESTED],
    ['${ KEY }', FORM],
  ])('[CF3] %s is reported with its key', (text, problem) => {
    expect(expandVariables({ a: [text] }, env).problems).toEqual([{ path: ['a', 0], text: problem }]);
  });

  it('[CF3] leaves text without a $ unchanged, and does not expand values again', () => {
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

  it('[CF3] leaves keys and non-data unchanged, and drops undefined members', () => {
    const schema = new Map();
    const { value } = expandVariables({ '${KEY}': 1, none: undefined, schema, list: [null, true] }, env);
    expect(value).toEqual({ '${KEY}': 1, schema, list: [null, true] });
    expect(Object.keys(value as object)).toEqual(['${KEY}', 'schema', 'list']);
  });

  it('[CF2] reports a value that contains itself and a key __proto__, and does not follow them', () => {
    const loop: Record<string, unknown> = {};
    loop.again = loop;
    expect(expandVariables(loop, {}).problems).toEqual([{ path: ['again'], text: 'expected at most 64 levels' }]);
    const { value, problems } = expandVariables(JSON.parse('{"a": {"__proto__": {"b": 1}}}'), {});
    expect(problems).toEqual([{ path: ['a', '__proto__'], part: 'key', text: 'this key is not allowed' }]);
    expect(Reflect.get(Reflect.get(value as object, 'a'), 'b')).toBeUndefined();
  });

  it('[CF4] replaces values by variable names', () => {
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

  it('[CF3] reports all unset variables with position, key and name', async () => {
    const text = 'hub:\n  host: ${A}\nagents:\n  bob:\n    script: ${B}/x.mjs\n    prompt: "${"\n';
    expect(await folder.wrong('a.yaml', text)).toEqual([
      'a.yaml:2:9: hub.host: the variable A is not set',
      'a.yaml:5:13: agents.bob.script: the variable B is not set',
      `a.yaml:6:13: agents.bob.prompt: ${FORM}`,
    ]);
  });

  it('[CF3] converts a reference to a number, true or false', async () => {
    const text = '{"hub": {"port": "${PORT}", "auth": {"tokens": "${YES}"}, "limits": {"maxTasks": "${N:-7}"}}}';
    const { config } = await folder.load('n.json', text, env);
    expect(config.hub).toEqual({ port: 4848, auth: { tokens: true }, limits: { maxTasks: 7 } });
  });

  it('[CF3, CF4] shows the text of the file when the value is not a number', async () => {
    const text = '{"hub": {"port": "${KEY}", "limits": {"maxTasks": "1${KEY}"}, "logLevel": "${KEY}"}}';
    expect(await folder.wrong('n.json', text, env)).toEqual([
      'n.json:1:18: hub.port: expected a whole number from 0 to 65535, got "${KEY}"',
      'n.json:1:51: hub.limits.maxTasks: expected a whole number > 0, got "1${KEY}"',
      'n.json:1:75: hub.logLevel: expected one of debug, info, warn, error, silent, got "${KEY}"',
    ]);
  });
});
