/** A port that forwards everything to a disk, except what a test replaces. */

import type { Files, OpenFile } from '../../../src/store/journal/files.ts';

export interface FilePatches {
  readonly folder?: Partial<Files>;
  readonly file?: (file: OpenFile) => Partial<OpenFile>;
}

export function patchFiles(disk: Files, { folder = {}, file: replace = () => ({}) }: FilePatches): Files {
  return {
    list: () => disk.list(),
    remove: (name) => disk.remove(name),
    rename: (from, to) => disk.rename(from, to),
    syncFolder: () => disk.syncFolder(),
    async open(name, options) {
      const file = await disk.open(name, options);
      return {
        size: () => file.size(),
        read: (position, length) => file.read(position, length),
        write: (position, chunks) => file.write(position, chunks),
        truncate: (length) => file.truncate(length),
        sync: () => file.sync(),
        close: () => file.close(),
        ...replace(file),
      };
    },
    ...folder,
  };
}
