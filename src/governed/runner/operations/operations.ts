/**
 * Every operation on a run, by name: from the open runs of a project and the arguments to an answer.
 * Each function that these three files export is an operation, and other processes may ask for it.
 */

import * as assign from './assign.ts';
import * as results from './results.ts';
import * as run from './run.ts';

export type Operations = typeof run & typeof assign & typeof results;

export const operations: Operations = { ...run, ...assign, ...results };

export type OperationName = keyof Operations;
/** JSON, so that it can be asked of another process. */
export type Args<Name extends OperationName> = Parameters<Operations[Name]>[1];
export type Answer<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;
