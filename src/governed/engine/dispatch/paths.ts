/** Where the files of a turn are, relative to the root of the project. */

import { getTurnStagingResultPath } from '../turns/active.ts';

export const RUN_FOLDER = '.agentxchain';
export const DISPATCH_INDEX: string = `${RUN_FOLDER}/dispatch/index.json`;
export const EVIDENCE_FOLDER: string = `${RUN_FOLDER}/evidence`;

/** What is sealed. */
export function bundleFolder(turnId: string): string {
  return `${RUN_FOLDER}/dispatch/turns/${turnId}`;
}

/** What comes about while a turn is out: requests, logs. Beside the bundle, so that a sealed one stays as it is. */
export function runtimeFolder(turnId: string): string {
  return `${RUN_FOLDER}/dispatch/runtime/${turnId}`;
}

export function stagingFolder(turnId: string): string {
  return getTurnStagingResultPath(turnId).replace(/\/[^/]+$/, '');
}

export function evidencePath(sha256: string): string {
  return `${EVIDENCE_FOLDER}/${sha256}`;
}
