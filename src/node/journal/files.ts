/** The file port: the few things the journal does to a folder, so that a disk can be simulated byte by byte. */

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
