/** Every operation on a run by name. Each function that these three files export is one, and other processes may call it. */

import * as assign from './assign.ts';
import * as results from './results.ts';
import * as run from './run.ts';

export type Operations = typeof run & typeof assign & typeof results;

export const operations: Operations = { ...run, ...assign, ...results };

export type OperationName = keyof Operations;
/** JSON, so that other processes can send it. */
export type Args<Name extends OperationName> = Parameters<Operations[Name]>[1];
export type Answer<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;
