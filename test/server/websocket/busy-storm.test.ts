// Thousands reconnect while clients work: rejected ones retry later.

import { connect } from 'parley-hub';
import { expect, onTestFinished } from 'vitest';
import { seededRandom } from '../../../src/testing/lib/random.ts';
import { itDeep } from '../../support/size.ts';
import { openHub } from '../../support/started-hub.ts';
import { TcpProxy } from '../../torture/tcp-proxy.ts';

itDeep('[BP4, PO8] more than may be without a hello at once are all back in the end', async () => {
  const { port } = await openHub({ limits: { maxPending: 2 } });
  const proxy = new TcpProxy({ port: () => port.port, random: seededRandom(1), cutChance: 0 });
  const url = await proxy.listen();
  onTestFinished(() => proxy.close());
  let away = 0;
  const back: Promise<void>[] = [];
  for (let n = 0; n < 40; n++) {
    let isBack = (): void => {};
    back.push(
      new Promise((resolve) => {
        isBack = resolve;
      }),
    );
    const onState = (state: string): void => {
      if (state === 'away') away += 1;
      if (state === 'open') isBack();
    };
    const client = await connect(url, { name: `a${n}`, reconnect: { minMs: 5, maxMs: 200 }, onState });
    onTestFinished(() => client.close());
  }
  expect(proxy.cutAll()).toBe(40);
  await Promise.all(back);
  expect(away).toBe(40);
});
