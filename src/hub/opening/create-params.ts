/** Checks and copies the parameters of a create request: the hub keeps none of the caller's objects. */

import type { CreateFacts } from '../../core/decisions/create.ts';
import { WireError } from '../../core/lib/errors.ts';
import { canonicalJson, copyJson, copyJsonObject, type Json, type JsonObject, utf8Bytes } from '../../core/lib/json.ts';
import { durationMs } from '../../core/lib/time.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { CreateParams } from '../../core/records/session/create-params.ts';
import { digestText } from '../../core/records/session/keys.ts';
import { DELEGATION_LABEL } from '../../core/records/work/delegation.ts';
import type { RegisteredAdapter } from '../extensions/adapters.ts';

/** Rejects the delegation label, which is reserved for the hub. */
export function checkLabels({ labels = {} }: CreateParams): void {
  if (!Object.hasOwn(labels, DELEGATION_LABEL)) return;
  const field = `params.labels.${DELEGATION_LABEL}`;
  const message = `${field}: expected another label; this one is the hub's, for delegations`;
  throw new WireError('invalid_create', message, { field });
}

export function knobsFrom(limits: Limits, { parseKnobs }: RegisteredAdapter, params: CreateParams): JsonObject {
  const knobs = copyJsonObject(params.knobs ?? {}, 'params.knobs', {
    maxDepth: limits.maxJsonDepth,
    maxBytes: limits.maxKnobBytes,
  });
  return parseKnobs(knobs);
}

export function labelsFrom(limits: Limits, { labels = {}, intent }: CreateParams): Readonly<Record<string, string>> {
  const all = { ...labels, ...(intent === undefined ? {} : { intent }) };
  const names = Object.keys(all);
  if (names.length > limits.maxLabels) {
    throw new WireError('too_large', `params.labels: at most ${limits.maxLabels} labels, got ${names.length}`, {
      field: 'params.labels',
    });
  }
  for (const [name, value] of Object.entries(all)) {
    if (utf8Bytes(name) + utf8Bytes(value) <= limits.maxLabelBytes) continue;
    const field = `params.labels.${name}`;
    throw new WireError('too_large', `${field}: at most ${limits.maxLabelBytes} bytes together with its name`, {
      field,
    });
  }
  copyJsonObject(all, 'params.labels', { maxDepth: 1, maxBytes: Number.MAX_SAFE_INTEGER });
  return all;
}

export function expectationsFrom(limits: Limits, { expectations }: CreateParams): CreateFacts['expectations'] {
  if (expectations === undefined) return null;
  const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxKnobBytes };
  copyJson(expectations, 'params.expectations', bounds);
  return expectations.map((entry, i) => ({
    ...entry,
    params: copyJsonObject(entry.params, `params.expectations.${i}.params`, bounds),
  }));
}

/** Treats 0 ("never") as absent, because the lifecycle depends on these timeouts. */
export function timeoutMs(value: string | number | undefined, field: string): number | null {
  const ms = value === undefined ? 0 : durationMs(value, field);
  return ms === 0 ? null : ms;
}

/** Digest of the request without its key and `wait`. */
export function createDigest(limits: Limits, params: CreateParams): string {
  const { idempotency_key: _key, wait: _wait, ...asked } = params;
  const bounds = { maxDepth: limits.maxJsonDepth + 2, maxBytes: limits.maxFrameBytes };
  return digestText(canonicalJson(copyJsonObject(asked, 'params', bounds) as Json));
}
