/**
 * The folder of a journal: the file port, which a simulated disk implements byte by byte, and the names of the files.
 * One file per segment, named by its number; the archive's files; and the spare, which becomes the next segment.
 */

/** One folder of files. Names have no separators. */
export interface Files {
  list(): Promise<readonly string[]>;
  /** Opens for reading and writing. */
  open(name: string, options?: OpenOptions): Promise<OpenFile>;
  remove(name: string): Promise<void>;
  /** Replaces `to` if it exists. */
  rename(from: string, to: string): Promise<void>;
  /** Names made, removed or changed so far survive a power cut. */
  syncFolder(): Promise<void>;
}

export interface OpenOptions {
  /** It must not exist yet. */
  readonly create?: boolean;
  /** Flushes will be written to it: `writeThrough` is wanted. */
  readonly through?: boolean;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Fewer bytes than asked for only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** All of it, or it rejects and any part of it may have been written. */
  write(position: number, chunks: readonly Uint8Array[]): Promise<void>;
  /** `write` and `sync` of these bytes in one step, where a port can do that: a small flush is a quarter quicker so. */
  writeThrough?(position: number, chunks: readonly Uint8Array[]): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Data written so far survives a power cut (fdatasync). A failed sync is never tried again. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The next segment while it is made ready. Nothing but zeros is ever written to a file of this name. */
export const SPARE_NAME = 'spare.journal';

/** What a file is called until it is whole. */
export const PART_SUFFIX = '.part';

const SEGMENT_NAME = /^(\d{8,})\.journal$/;
const ARCHIVE_NAME = /^archive-(\d{8,})\.journal$/;

/** A negative number is a file of the archive. */
export function segmentName(segment: number): string {
  const digits = String(Math.abs(segment)).padStart(8, '0');
  return segment < 0 ? `archive-${digits}.journal` : `${digits}.journal`;
}

/** The numbers of the segments there are, lowest first. */
export function listSegments(files: Files): Promise<readonly number[]> {
  return listNumbers(files, SEGMENT_NAME);
}

/** The numbers of the archive's files, oldest first; they are negative. */
export async function listArchives(files: Files): Promise<readonly number[]> {
  return (await listNumbers(files, ARCHIVE_NAME)).map((number) => -number);
}

async function listNumbers(files: Files, pattern: RegExp): Promise<readonly number[]> {
  const numbers = (await files.list()).flatMap((name) => {
    const [, digits] = pattern.exec(name) ?? [];
    return digits === undefined ? [] : [Number(digits)];
  });
  return numbers.sort((a, b) => a - b);
}

/** Opens a segment for as long as `use` takes. */
export function withSegment<T>(files: Files, segment: number, use: (file: OpenFile) => Promise<T>): Promise<T> {
  return withFile(files.open(segmentName(segment)), use);
}

const CHUNK_BYTES = 1024 * 1024;

/** The bytes between two places of a file, in chunks; each reaches `overlap` bytes into the next. */
export async function* readChunks(
  file: OpenFile,
  from: number,
  to: number,
  overlap = 0,
): AsyncGenerator<{ readonly at: number; readonly bytes: Uint8Array }, void, void> {
  for (let at = from; at < to; at += CHUNK_BYTES) {
    yield { at, bytes: await file.read(at, Math.min(CHUNK_BYTES + overlap, to - at)) };
  }
}

/** Closes the file when `use` has ended. */
export async function withFile<T>(opening: Promise<OpenFile>, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await opening;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
