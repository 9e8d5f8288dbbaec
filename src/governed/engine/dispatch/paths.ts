/** Returns the paths of a turn's files, relative to the project. */

import { getTurnStagingResultPath } from '../turns/active.ts';

export const RUN_FOLDER = '.agentxchain';
export const DISPATCH_INDEX: string = `${RUN_FOLDER}/dispatch/index.json`;
export const EVIDENCE_FOLDER: string = `${RUN_FOLDER}/evidence`;

export function bundleFolder(turnId: string): string {
  return `${RUN_FOLDER}/dispatch/turns/${turnId}`;
}

/** Folder for requests and logs of an active turn; outside the bundle, which is sealed. */
export function runtimeFolder(turnId: string): string {
  return `${RUN_FOLDER}/dispatch/runtime/${turnId}`;
}

export function stagingFolder(turnId: string): string {
  return getTurnStagingResultPath(turnId).replace(/\/[^/]+$/, '');
}

export function evidencePath(sha256: string): string {
  return `${EVIDENCE_FOLDER}/${sha256}`;
}
