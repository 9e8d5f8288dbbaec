/** Lists every operation on a run: each function that these three files export, callable from other processes. */

import * as assign from './assign.ts';
import * as results from './results.ts';
import * as run from './run.ts';

export type Operations = typeof run & typeof assign & typeof results;

export const operations: Operations = { ...run, ...assign, ...results };

export type OperationName = keyof Operations;
/** Arguments are JSON, so that other processes can send them. */
export type Args<Name extends OperationName> = Parameters<Operations[Name]>[1];
export type Answer<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;
