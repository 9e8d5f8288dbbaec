/** A hub serves a project. What that takes is loaded when it is asked for: a hub and its store are large. */

import type { LocalHub } from '../../../server/create-hub.ts';
import type { RunnerFailure } from '../../../governed/runner/contract/types.ts';
import type { ServedRun, ServeRunOptions } from '../../../governed/serving/serve-run.ts';

export async function serveRun(hub: LocalHub, root: string, options: ServeRunOptions = {}): Promise<ServedRun> {
  const serving = await import('../../../governed/serving/serve-run.ts');
  return serving.serveRun(hub, root, options);
}

export async function takeBackRun(root: string): Promise<{ readonly ok: true } | RunnerFailure> {
  const serving = await import('./take-back.ts');
  return serving.takeBackRun(root);
}
