/** `parley up --run`: the hub serves the governed runs of projects. */

import { resolve } from 'node:path';
import type { Log } from '../../core/ports/platform.ts';
import type { LocalHub } from '../../server/create-hub.ts';
import { RunnerRefusal } from '../../governed/runner/contract/failure.ts';
import type { Companions, UpEvent } from '../../server/up.ts';
import type { Asked } from '../../cli/terminal/command.ts';
import { Trouble, wrongValue } from '../../cli/terminal/command-error.ts';

type Serve = (hub: LocalHub, log: Log, tell: (event: UpEvent) => void) => Promise<Companions>;

/** What is wrong with the options is said before anything is started. */
export async function servedRoots({ lists }: Asked, data: string): Promise<readonly Serve[]> {
  const roots = lists.run ?? [];
  const roles = Object.fromEntries((lists.holds ?? []).map(holding));
  if (Object.keys(roles).length > 0 && roots.length !== 1) {
    throw new Trouble('wrong', 'missing_option', '--holds goes with one --run', '"parley up --help" says more.');
  }
  return roots.map(
    (root) => (hub, log, tell) => serveOne(hub, resolve(root), { roles, data: resolve(data), log }, tell),
  );
}

function holding(given: string): readonly [string, string] {
  const [, role, name] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  if (role === undefined || name === undefined) throw wrongValue('--holds', 'role=name', given);
  return [role, name];
}

async function serveOne(
  hub: LocalHub,
  root: string,
  options: { readonly roles: Readonly<Record<string, string>>; readonly data: string; readonly log: Log },
  tell: (event: UpEvent) => void,
): Promise<Companions> {
  const { serveRun } = await import('../../governed/serving/serve-run.ts');
  try {
    const served = await serveRun(hub, root, options);
    tell({ event: 'serves', root: served.root, runner: served.runner, operator: served.operator });
    return served;
  } catch (thrown) {
    if (!(thrown instanceof RunnerRefusal)) throw thrown;
    throw new Trouble('refused', thrown.failure.error_code, `--run ${root}: ${thrown.message}`, '');
  }
}

/** One after the other, all or none; they end the other way round. */
export async function inOrder(begin: readonly (() => Promise<Companions>)[]): Promise<Companions> {
  const begun: Companions[] = [];
  const close = async (): Promise<void> => {
    for (const one of begun.toReversed()) await one.close();
  };
  try {
    for (const one of begin) begun.push(await one());
    return { close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
