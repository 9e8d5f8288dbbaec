/** Opens a hub in this process over the log of one project, for one operation. */

import { governed } from 'parley-hub/adapters/governed';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import { AgentClient } from '../../../client/index.ts';
import { Hub } from '../../../hub/hub.ts';
import { openStore } from '../../../store/open-store.ts';
import { systemSecrets } from '../../../system/ids.ts';
import { once } from '../../../system/once.ts';
import type { RunnerContext } from './runner-context.ts';
import { OPERATOR, RUNNER, type RunClients } from './session-log.ts';

const MIB = 1024 * 1024;

/** High limits: results and configs may be long, and nobody acks the operator's deliveries. */
const LIMITS = {
  maxEventBytes: 24 * MIB,
  maxKnobBytes: 4 * MIB,
  maxFrameBytes: 32 * MIB,
  maxResponseBytes: 32 * MIB,
  maxUnsentBytes: 64 * MIB,
  maxHeldBytes: 64 * MIB,
  maxPending: 1_000_000_000,
};

export interface OpenedHub extends RunClients {
  close(): Promise<void>;
}

export async function openLocalHub(folder: string, { clock, ids }: RunnerContext): Promise<OpenedHub> {
  const { store } = await openStore(folder, { segmentBytes: MIB });
  const hub = await Hub.start({
    store,
    clock,
    ids,
    secrets: systemSecrets,
    adapters: [governed],
    views: [fullTranscript, windowedSummary],
    evaluators: EVALUATORS,
    handlers: HANDLERS,
    limits: LIMITS,
  }).catch(async (thrown: unknown) => {
    await store.close();
    throw thrown;
  });
  const link = () => hub.connect();
  try {
    const runner = await AgentClient.connect({ name: RUNNER, link, ids });
    const operator = once(async () => {
      const client = await AgentClient.connect({ name: OPERATOR, link, ids });
      await hub.grant(OPERATOR, ['approve']);
      return client;
    });
    return { runner, operator, close: () => hub.stop() };
  } catch (thrown) {
    await hub.stop();
    throw thrown;
  }
}
