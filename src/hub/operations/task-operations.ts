/** The operations on tasks, and delegation. */

import type { TaskOperations } from '../../core/protocol/operations/tasks.ts';
import type { Delegate } from '../tasks/delegate.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { boundCaller, type Handlers } from './handler.ts';

export function taskOperations(tasks: Tasks, delegate: Delegate): Handlers<keyof TaskOperations | 'delegate'> {
  return {
    start_task: (caller, params) => tasks.start(boundCaller(caller), params),
    progress_task: (caller, params) => tasks.progress(boundCaller(caller), params),
    checkpoint_task: (caller, params) => tasks.checkpoint(boundCaller(caller), params),
    resume_task: (caller, ref) => tasks.resume(boundCaller(caller), ref),
    complete_task: (caller, { result, ...ref }) => tasks.end(boundCaller(caller), ref, 'done', { result }),
    fail_task: (caller, { reason, result, ...ref }) =>
      tasks.end(boundCaller(caller), ref, 'failed', { reason, result }),
    cancel_task: (caller, params) => tasks.cancel(boundCaller(caller), params),
    get_task: (caller, ref) => tasks.reader.get(boundCaller(caller), ref),
    list_tasks: (caller, params) => tasks.reader.list(boundCaller(caller), params),
    delegate: (caller, params) => delegate.delegate(boundCaller(caller), params),
  };
}
