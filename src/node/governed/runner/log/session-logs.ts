/** Runs in the sessions of a hub: those that its runner has opened for one project. */

import type { AgentClient } from '../../../../client/index.ts';
import type { JsonObject } from '../../../../core/lib/json.ts';
import type { GovernedConfig } from '../../../../governed/index.ts';
import type { RunnerMeans } from '../../../../governed/runner/log/runner-context.ts';
import type { RunLog, RunLogs } from './run-log.ts';
import { SessionLog } from '../../../../governed/runner/log/session-log.ts';

export const OPERATOR = 'operator';
export const RUNNER = 'runner';

export interface RunClients {
  readonly runner: AgentClient;
  /** Has the grant `approve`; asked for when it is needed. */
  readonly operator: () => Promise<AgentClient>;
  /** OPERATOR unless told. */
  readonly operatorName?: string;
  /** Which participant holds which role; the runner sees to the others. */
  readonly roles?: Readonly<Record<string, string>>;
  /** What tells the sessions of this project from others; absent = all governed sessions of the runner are its own. */
  readonly label?: { readonly name: string; readonly value: string };
}

export class SessionLogs implements RunLogs {
  readonly #clients: RunClients;
  readonly #means: RunnerMeans;
  readonly #logs: SessionLog[] = [];

  private constructor(clients: RunClients, means: RunnerMeans) {
    this.#clients = clients;
    this.#means = means;
  }

  static async read(clients: RunClients, means: RunnerMeans): Promise<SessionLogs> {
    const logs = new SessionLogs(clients, means);
    const { runner, label } = clients;
    for await (const { session_id, labels, creator_id } of runner.sessions({ type: 'governed' })) {
      // Labels can be copied; who created a session cannot.
      if (creator_id !== runner.agentId) continue;
      if (label !== undefined && labels[label.name] !== label.value) continue;
      // They come newest first.
      logs.#logs.unshift(await SessionLog.read(session_id, clients, means));
    }
    return logs;
  }

  get runs(): readonly RunLog[] {
    return this.#logs.filter(({ isEmpty }) => !isEmpty);
  }

  get current(): RunLog | null {
    return this.runs.at(-1) ?? null;
  }

  async begin(config: GovernedConfig): Promise<RunLog> {
    const { runner, operator, operatorName = OPERATOR, label, roles = {} } = this.#clients;
    // Whoever is invited has to be there to accept.
    await operator();
    const session = await runner.open('governed', {
      participants: [operatorName, ...new Set(Object.values(roles))],
      // Who holds a role may come later; the run begins without.
      requiredAcks: 1,
      // A config is JSON; its interfaces only lack an index signature.
      knobs: { config: config as unknown as JsonObject, ...(Object.keys(roles).length === 0 ? {} : { roles }) },
      // Whether a turn is late is for its deadline to say, and a hub that is opened for a moment watches nobody.
      expectations: [],
      ...(label === undefined ? {} : { labels: { [label.name]: label.value } }),
    });
    const log = await SessionLog.read(session.id, this.#clients, this.#means);
    this.#logs.push(log);
    return log;
  }
}
