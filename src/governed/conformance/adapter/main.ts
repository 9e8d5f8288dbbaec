/** stdio-fixture-v1: one fixture on stdin, one answer on stdout, and a matching exit code. */

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
