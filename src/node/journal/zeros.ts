/** Zeros to write, without holding as many in memory. */

export const ZERO_CHUNK_BYTES: number = 1024 * 1024;

const ZERO_CHUNK: Uint8Array = new Uint8Array(ZERO_CHUNK_BYTES);

export function zeros(bytes: number): readonly Uint8Array[] {
  const whole = Math.floor(bytes / ZERO_CHUNK_BYTES);
  const chunks = Array.from({ length: whole }, () => ZERO_CHUNK);
  const rest = bytes - whole * ZERO_CHUNK_BYTES;
  return rest === 0 ? chunks : [...chunks, ZERO_CHUNK.subarray(0, rest)];
}
