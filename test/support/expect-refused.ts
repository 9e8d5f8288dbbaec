/** Asserts that a call is refused: with this code and, where given, because of this field. */

import { expect } from 'vitest';

/** Answers with the error, for a closer look. Works for wire errors (`details.field`) and for hub errors (`code` alone). */
export async function expectRefused(call: Promise<unknown>, code: string, field?: string): Promise<Error> {
  const thrown: unknown = await call.then(
    (answer) => expect.fail(`expected a refusal with ${code}, got ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  expect(thrown).toMatchObject({ code, ...(field === undefined ? {} : { details: { field } }) });
  return thrown as Error;
}
