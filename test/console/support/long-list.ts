/** Fills a hub with sessions, and scrolls through the list with a wheel. */

import type { LocalHub } from 'parley-hub';
import type { Page } from 'playwright-core';

const AT_ONCE = 64;

/** Creates that many sessions with one message each. */
export async function fillHub(hub: LocalHub, count: number): Promise<void> {
  const alice = await hub.agent('alice');
  const bob = await hub.agent('bob');
  bob.handle({ onMessage: () => {} });
  let next = 0;
  const some = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const intent = `Session ${next}`;
      const session = await alice.open('conversation', { participants: ['bob'], labels: { intent } });
      await session.send(`Said in ${intent}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
}

export interface Scrolled {
  readonly rowsRead: number;
  readonly wheels: number;
  readonly seconds: number;
  /** The most elements that the page had at once. */
  readonly mostNodes: number;
  readonly mostRows: number;
  /** Between two frames, in ms. */
  readonly frameP50: number;
  readonly frameP99: number;
  readonly longestFrame: number;
  /** Processor time of the page's main thread, in ms. */
  readonly workedMs: number;
  readonly scriptMs: number;
  readonly frames: number;
  readonly longTasks: number;
  readonly longestTask: number;
}

/** Runs in the page. */
const WATCH = `
  window.scrolled = { frames: [], tasks: [], nodes: 0, rows: 0, on: true };
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) scrolled.tasks.push(duration); }).observe({ type: 'longtask' });
  let last = performance.now();
  requestAnimationFrame(function frame(at) {
    scrolled.frames.push(at - last);
    last = at;
    scrolled.nodes = Math.max(scrolled.nodes, document.getElementsByTagName('*').length);
    scrolled.rows = Math.max(scrolled.rows, document.querySelectorAll('.rows .row').length);
    if (scrolled.on) requestAnimationFrame(frame);
  });
`;

const READ = `(() => {
  scrolled.on = false;
  const frames = scrolled.frames.slice(1).sort((a, b) => a - b);
  const at = (part) => Math.round(frames[Math.min(frames.length - 1, Math.floor(frames.length * part))] * 10) / 10;
  return {
    frames: frames.length, mostNodes: scrolled.nodes, mostRows: scrolled.rows, frameP50: at(0.5), frameP99: at(0.99), longestFrame: at(1),
    longTasks: scrolled.tasks.length, longestTask: Math.round(Math.max(0, ...scrolled.tasks)),
  };
})()`;

/** Scrolls from the top to the end of the list. */
export async function scrollThrough(page: Page, count: number, wheelPx: number): Promise<Scrolled> {
  const began = performance.now();
  await page.waitForSelector('.rows .row');
  const box = await page.locator('.rows').boundingBox();
  if (box === null) throw new Error('the list is not on the page');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const worked = await processorTime(page);
  await page.evaluate(WATCH);
  let wheels = 0;
  // At the end of the rows read so far, scrolling waits for more.
  for (const most = (count * 92 * 2) / wheelPx + 1_000; wheels < most; wheels += 1) {
    await page.mouse.wheel(0, wheelPx);
    const isAtEnd = await page.evaluate<boolean>(
      `(({ scrollTop, clientHeight, scrollHeight }) => ${count} <= Number(document.querySelector('.count').textContent.replace(/\\D/g, '')) && scrollTop + clientHeight >= scrollHeight - 2)(document.querySelector('.rows'))`,
    );
    if (isAtEnd) break;
  }
  const rowsRead = Number(((await page.locator('.count').textContent()) ?? '').replace(/\D/g, ''));
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  type Seen = Omit<Scrolled, 'rowsRead' | 'wheels' | 'seconds' | 'workedMs' | 'scriptMs'>;
  return { rowsRead, wheels, seconds, ...(await worked()), ...(await page.evaluate<Seen>(READ)) };
}

/** Returns the function that reads the processor time used since. */
async function processorTime(page: Page): Promise<() => Promise<Pick<Scrolled, 'workedMs' | 'scriptMs'>>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async (name: string): Promise<number> =>
    ((await devtools.send('Performance.getMetrics')).metrics.find((one) => one.name === name)?.value ?? 0) * 1000;
  const [task, script] = [await read('TaskDuration'), await read('ScriptDuration')];
  return async () => ({
    workedMs: Math.round((await read('TaskDuration')) - task),
    scriptMs: Math.round((await read('ScriptDuration')) - script),
  });
}
