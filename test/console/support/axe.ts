/** The serious findings of axe. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../package/repository.ts';

/** Add to a page that was opened with bypassCSP. */
export const AXE: string = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings, each with the element. */
export function faults(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`axe.run(document).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}
