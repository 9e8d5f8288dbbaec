/** Asserts that a call is rejected with this code and, if given, for this field. */

import { expect } from 'vitest';

/** Returns the error. Works for wire errors (`details.field`) and hub errors (`code` alone). */
export async function expectRefused(call: Promise<unknown>, code: string, field?: string): Promise<Error> {
  const thrown: unknown = await call.then(
    (answer) => expect.fail(`expected a refusal with ${code}, got ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  expect(thrown).toMatchObject({ code, ...(field === undefined ? {} : { details: { field } }) });
  return thrown as Error;
}
