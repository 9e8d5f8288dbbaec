/** The files that gates may look at, as evidence: small ones whole, of larger ones the part that gates read, and all of it kept aside. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { evidencePath } from '../../../../governed/engine/dispatch/paths.ts';
import { canonicalPath, exitGate, type GovernedConfig } from '../../../../governed/index.ts';
import { own } from '../../../../governed/engine/lib/unknown-record.ts';
import { type FileEvidence, MAX_EVIDENCE_TEXT } from '../../../../governed/session/index.ts';
import { linkOnTheWay, lookAt, placeIn } from '../../safe-place.ts';
import { writeWhole } from '../../whole-file.ts';

/** A gate reads pages that people write; what is longer is no page. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export function gatePaths(config: GovernedConfig, phase: string | null): readonly string[] {
  const gate = exitGate(config, phase)?.gate;
  const artifacts = phase === null ? [] : (own(config.workflow_kit?.phases, phase)?.artifacts ?? []);
  const paths = [...(gate?.requires_files ?? []), ...artifacts.map(({ path }) => path)];
  return [...new Set(paths.flatMap((path) => canonicalPath(path) ?? []))];
}

/** Those that are there, are plain files and are reached by no link. */
export async function fileEvidence(root: string, paths: readonly string[]): Promise<readonly FileEvidence[]> {
  const found: FileEvidence[] = [];
  for (const path of paths) {
    const bytes = await bytesAt(root, path);
    if (bytes === null) continue;
    const text = bytes.toString('utf8');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const isWhole = bytes.length <= MAX_EVIDENCE_TEXT && Buffer.from(text).equals(bytes);
    if (!isWhole) await keepAside(root, sha256, bytes);
    found.push({ path, sha256, size: bytes.length, text: isWhole ? text : partOf(text), excerpt: !isWhole });
  }
  return found;
}

async function keepAside(root: string, sha256: string, bytes: Buffer): Promise<void> {
  const place = await placeIn(root, evidencePath(sha256));
  if ((await lookAt(place)) === null) await writeWhole(place, bytes, 0o400);
}

/** Titles and what follows each of them, answers to questions, and rows of tables: what gates look for. */
function partOf(text: string): string {
  const kept: string[] = [];
  let after = 0;
  for (const line of text.split('\n')) {
    const isTitle = line.startsWith('#');
    const isAnswer = /^\s*\**[A-Za-z ]+\**\s*:/.test(line) || line.trimStart().startsWith('|');
    if (isTitle) after = 2;
    if (!isTitle && !isAnswer && (line.trim() === '' || after === 0)) continue;
    if (!isTitle && !isAnswer) after--;
    kept.push(line.slice(0, 500));
  }
  const part = Buffer.from(kept.join('\n')).subarray(0, MAX_EVIDENCE_TEXT - 4);
  return part.toString('utf8').replace(/\uFFFD+$/, '');
}

async function bytesAt(root: string, path: string): Promise<Buffer | null> {
  if ((await linkOnTheWay(root, path)) !== null) return null;
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const place = await placeIn(root, path);
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= MAX_FILE_BYTES ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}
