/** A Python that can speak WebSocket, wherever it is: the first of PATH may be one without the system's packages. */

import { spawnSync } from 'node:child_process';

const candidates = [process.env.PARLEY_PYTHON ?? 'python3', '/usr/bin/python3'];

/** null = there is none. */
export const python: string | null =
  candidates.find((command) => spawnSync(command, ['-c', 'import websockets']).status === 0) ?? null;

export const whyNoPython: string = python === null ? ' (skipped: python3 with its package websockets is missing)' : '';
