/** Reads the entries of every log from the bytes a power cut would leave, without the store. */

import type { Entry, Unit } from '../../src/core/records/session/unit.ts';
import { segmentName } from '../../src/store/journal/files.ts';
import { MARK_BYTES, readFrame } from '../../src/store/journal/record.ts';
import type { SimDisk } from '../support/sim-disk.ts';

export class DurableEntries {
  readonly #disk: SimDisk;
  readonly #logs = new Map<string, Entry[]>();
  #segment = 1;
  #offset = 0;

  constructor(disk: SimDisk) {
    this.#disk = disk;
  }

  logIds(): readonly string[] {
    this.#readOn();
    return [...this.#logs.keys()];
  }

  of(logId: string): readonly Entry[] {
    this.#readOn();
    return this.#logs.get(logId) ?? [];
  }

  #readOn(): void {
    while (this.#readSegment()) {
      this.#segment += 1;
      this.#offset = 0;
    }
  }

  /** True = a next segment exists. */
  #readSegment(): boolean {
    if (!this.#disk.names().includes(segmentName(this.#segment))) return false;
    const durable = this.#disk.durableBytes(segmentName(this.#segment));
    const bytes = Buffer.from(durable.buffer, durable.byteOffset, durable.byteLength);
    for (;;) {
      const frame = readFrame(bytes, this.#offset);
      if (frame.kind === 'mark') this.#offset += MARK_BYTES;
      else if (frame.kind === 'record') {
        this.#offset += frame.bytes;
        if (frame.record.kind === 'unit') this.#add(frame.record.logId, JSON.parse(frame.record.text) as Unit);
      } else break;
    }
    return this.#disk.names().includes(segmentName(this.#segment + 1));
  }

  #add(logId: string, { entries }: Unit): void {
    const log = this.#logs.get(logId) ?? [];
    log.push(...entries);
    this.#logs.set(logId, log);
  }
}
