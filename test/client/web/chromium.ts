/** A browser of this machine, if installed. */

import { spawnSync } from 'node:child_process';

const candidates = [process.env.PARLEY_CHROMIUM ?? 'chromium', 'chromium-headless-shell', 'google-chrome'];

export const chromium: string | null =
  candidates
    .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim() ?? '')
    .find((path) => path !== '') ?? null;

export const whyNoChromium: string = chromium === null ? ' (skipped: there is no Chromium on this machine)' : '';
