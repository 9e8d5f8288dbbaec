/** The config file, as `parley doctor` looks at it: all that `parley up` would refuse, without a hub. */

import type { Plan } from '../../config/start-agents.ts';
import { DEFAULT_PORT } from '../../server/port/serve-options.ts';
import type { Asked } from '../../cli/terminal/command.ts';
import type { Check } from '../../cli/operating/doctor-checks.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { Trouble } from '../../cli/terminal/command-error.ts';
import { dataOf } from '../../cli/connecting/hub-target.ts';

/** null = there is no such file. The other checks are then about the hub it describes. */
export async function lookAtConfig(
  asked: Asked,
  io: Io,
): Promise<{ readonly check: Check | null; readonly around: Asked }> {
  const { planIn } = await import('../config/plan.ts');
  try {
    const plan = await planIn(asked.values.config, io.env, { data: dataOf(asked, io) });
    if (plan === null) return { check: null, around: asked };
    return {
      check: { name: 'config', ok: true, found: summary(plan), hint: '' },
      around: aboutItsHub(asked, io, plan),
    };
  } catch (thrown) {
    if (!(thrown instanceof Trouble)) throw thrown;
    const found = [thrown.message, ...thrown.problems].join('\n');
    return { check: { name: 'config', ok: false, found, hint: thrown.hint }, around: asked };
  }
}

/** Who and what is in it, by name: nothing of what its variables stand for. */
function summary({ loaded: { file, config } }: Plan): string {
  const parts = (['agents', 'roles', 'rules', 'schedules'] as const).flatMap((part) => {
    const names = Object.keys(config[part] ?? {});
    return names.length === 0 ? [] : [`${part} ${names.join(', ')}`];
  });
  return [file, ...parts].join('; ');
}

function aboutItsHub(asked: Asked, { env }: Io, { loaded }: Plan): Asked {
  const { data, port = DEFAULT_PORT, host = '127.0.0.1', tls } = loaded.config.hub ?? {};
  const isElsewhere = asked.values.url !== undefined || Boolean(env.PARLEY_URL);
  const url = `${tls === undefined ? 'ws' : 'wss'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const values = {
    ...(data === undefined ? {} : { data }),
    ...(isElsewhere || port === 0 ? {} : { url }),
    ...asked.values,
  };
  return { ...asked, values };
}
