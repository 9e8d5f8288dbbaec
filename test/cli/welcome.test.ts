// The welcome of `parley up`.

import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { welcomeLines } from '../../src/cli/operating/up.ts';

const up = {
  url: 'ws://127.0.0.1:4747',
  data: '.parley',
  tokenFile: '.parley/operator-token',
  console: null as string | null,
  isEverywhere: false,
};
const agents = (more: Partial<typeof up> = {}): string =>
  welcomeLines({ ...up, ...more }).find((line) => line.includes('coding agents')) ?? '';

it('[MC1] it says where coding agents come in, and the command that sets one up, as it works in a clone', () => {
  const command = 'npm run -s parley -- mcp install claude';
  expect(agents()).toBe(`  coding agents   http://127.0.0.1:4747/mcp (MCP); to set one up: ${command}`);
  const data = resolve('elsewhere');
  const told = `PARLEY_URL=ws://127.0.0.1:5000 PARLEY_DATA=${data} ${command}`;
  expect(agents({ url: 'ws://127.0.0.1:5000', data })).toBe(
    `  coding agents   http://127.0.0.1:5000/mcp (MCP); to set one up: ${told}`,
  );
});
