/** Thousands of loaded sessions have the same manifest: each holds its adapter's, not a copy from its own log. */

import type { CompleteAdapter } from '../core/ports/adapter.ts';
import type { Manifest } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';

export function sharing(state: SessionState, adapter: CompleteAdapter | null): SessionState {
  const { metadata } = state;
  if (adapter === null || metadata.manifest === adapter.manifest) return state;
  if (JSON.stringify(metadata.manifest) !== textOf(adapter.manifest)) return state;
  return { ...state, metadata: Object.freeze({ ...metadata, manifest: adapter.manifest }) };
}

const texts = new WeakMap<Manifest, string>();

function textOf(manifest: Manifest): string {
  const text = texts.get(manifest) ?? JSON.stringify(manifest);
  texts.set(manifest, text);
  return text;
}
