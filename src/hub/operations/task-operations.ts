/** Handles the operations on tasks, and `delegate`. */

import type { TaskOperations } from '../../core/protocol/operations/tasks.ts';
import type { Delegate } from '../tasks/delegate.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Handlers } from './run-operation.ts';

export function taskOperations(tasks: Tasks, delegate: Delegate): Handlers<keyof TaskOperations | 'delegate'> {
  return {
    start_task: (by, params) => tasks.start(by, params),
    progress_task: (by, params) => tasks.progress(by, params),
    checkpoint_task: (by, params) => tasks.checkpoint(by, params),
    resume_task: (by, ref) => tasks.resume(by, ref),
    complete_task: (by, { result, ...ref }) => tasks.end(by, ref, 'done', { result }),
    fail_task: (by, { reason, result, ...ref }) => tasks.end(by, ref, 'failed', { reason, result }),
    cancel_task: (by, params) => tasks.cancel(by, params),
    get_task: (by, ref) => tasks.reader.get(by, ref),
    list_tasks: (by, params) => tasks.reader.list(by, params),
    delegate: (by, params) => delegate.delegate(by, params),
  };
}
