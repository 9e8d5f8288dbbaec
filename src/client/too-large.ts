/** What is told of a request that no frame can carry: which of its parameters is too large, and how much that may be. */

import { WireError } from '../core/lib/errors.ts';
import { type JsonObject, jsonBytes } from '../core/lib/json.ts';

export interface FrameLimits {
  readonly maxFrameBytes: number;
  /** What can be said at once; null = the hub has not told. */
  readonly maxEventBytes: number | null;
}

/** Parameters that are, or become, the data of an envelope. */
const EVENT_DATA: ReadonlySet<string> = new Set(['event_data', 'data', 'result', 'prompt']);

export function tooLarge(op: string, params: JsonObject, bytes: number, limits: FrameLimits): WireError {
  const { maxFrameBytes, maxEventBytes } = limits;
  const sizes = Object.entries(params).map(([name, value]) => ({ name, size: jsonBytes(value) }));
  const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a), { name: '', size: 0 });
  const field = largest.name === 'event_data' ? 'event_data' : `params.${largest.name}`;
  const most = EVENT_DATA.has(largest.name) && maxEventBytes !== null ? maxEventBytes : null;
  if (most !== null && most < largest.size) {
    const message = `${field}: ${largest.size} bytes of JSON; at most ${most} are allowed`;
    return new WireError('too_large', message, {
      field,
      expected: `at most ${most} bytes`,
      received: `${largest.size} bytes`,
    });
  }
  const message = `${op}: ${bytes} bytes of JSON, most of it in ${field}; a frame takes at most ${maxFrameBytes}`;
  return new WireError('too_large', message, { field, expected: `a frame of at most ${maxFrameBytes} bytes` });
}
