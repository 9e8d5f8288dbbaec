/** The file port: the few things the journal does to a folder, so that a disk can be simulated byte by byte. */

/** One folder of files. Names have no separators. */
export interface Files {
  list(): Promise<readonly string[]>;
  /** Opens for reading and writing; with `create` it must not exist yet. */
  open(name: string, options?: { readonly create?: boolean }): Promise<OpenFile>;
  remove(name: string): Promise<void>;
  /** Replaces `to` if it exists. */
  rename(from: string, to: string): Promise<void>;
  /** Names made, removed or changed so far survive a power cut. */
  syncFolder(): Promise<void>;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Fewer bytes than asked for only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** All of it, or it rejects and any part of it may have been written. */
  write(position: number, chunks: readonly Uint8Array[]): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Data written so far survives a power cut (fdatasync). A failed sync is never tried again. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
