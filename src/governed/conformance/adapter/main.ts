/** Implements stdio-fixture-v1: reads a fixture from stdin, writes the answer to stdout, exits with its exit code. */

import { type Answer, EXIT_OF } from '../fixture.ts';
import { executeAnyFixture } from './execute.ts';

let text = '';
process.stdin.setEncoding('utf8');
for await (const part of process.stdin) text += part;

const answer = await answerTo(text);
process.exitCode = EXIT_OF[answer.status];
process.stdout.write(`${JSON.stringify(answer)}\n`);

async function answerTo(given: string): Promise<Answer> {
  try {
    return await executeAnyFixture(JSON.parse(given));
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    process.stderr.write(`${thrown instanceof Error ? thrown.stack : message}\n`);
    return { status: 'error', message, actual: null };
  }
}
