/** Parses strace output into calls that begin and return. */

import { dirname } from 'node:path';

export interface SystemCall {
  readonly name: string;
  /** The file or pipe it is about, as strace shows it. */
  readonly target: string;
  /** True for O_DSYNC: a write is durable when it returns. */
  readonly through: boolean;
  /** The arguments, with the beginning of the written bytes. */
  readonly text: string;
  /** Lines of the trace: strace sees one thing at a time. */
  readonly begun: number;
  /** Infinity = it never did. */
  returned: number;
}

const CALL = /^(\d+) +[\d:.]+ (\w+)\((\d+)<([^>]*)>(.*)$/;
const OPENED = /^\d+ +[\d:.]+ (?:openat\(|<\.\.\. openat resumed>).*\) = (\d+)</;
const ASKED = /^(\d+) +[\d:.]+ openat\(.*\bO_DSYNC\b/;
const RESUMED = /^(\d+) +[\d:.]+ <\.\.\. (\w+) resumed>/;

export function callsIn(trace: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const open = new Map<string, SystemCall>();
  const through = throughFrom(trace.split('\n'));
  for (const [line, text] of trace.split('\n').entries()) {
    const [, pid = '', name = '', fd = '', target = '', rest = ''] = CALL.exec(text) ?? [];
    if (name !== '') {
      const isDone = !rest.endsWith('<unfinished ...>');
      const call: SystemCall = {
        name,
        target,
        through: through(fd, line),
        text: rest,
        begun: line,
        returned: isDone ? line : Number.POSITIVE_INFINITY,
      };
      calls.push(call);
      if (!isDone) open.set(pid, call);
    }
    const [, resumed = ''] = RESUMED.exec(text) ?? [];
    const call = open.get(resumed);
    if (call === undefined) continue;
    call.returned = line;
    open.delete(resumed);
  }
  return calls;
}

/** Whether a descriptor was last opened with O_DSYNC, by line. Joins an interrupted open by its process. */
function throughFrom(lines: readonly string[]): (fd: string, line: number) => boolean {
  const opened = new Map<string, { readonly line: number; readonly through: boolean }[]>();
  const asking = new Set<string>();
  for (const [line, text] of lines.entries()) {
    const pid = text.split(' ', 1)[0] ?? '';
    if (ASKED.test(text)) asking.add(pid);
    const fd = OPENED.exec(text)?.[1];
    if (fd === undefined) continue;
    opened.set(fd, [...(opened.get(fd) ?? []), { line, through: asking.has(pid) }]);
    asking.delete(pid);
  }
  return (fd, line) => opened.get(fd)?.findLast((one) => one.line < line)?.through ?? false;
}

/** For each of these words: written to the journal, then synced, and only then answered. */
export function faultsIn(calls: readonly SystemCall[], words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const answer = calls.find(({ name, text }) => name === 'write' && text.startsWith(`, "ack ${word}\\n"`));
    if (answer === undefined) return [`"${word}" was not answered`];
    const write = calls.find(({ name, target, text }) => {
      return name.startsWith('pwrite') && target.endsWith('.journal') && text.includes(`\\"${word}\\"`);
    });
    if (write === undefined) return [`"${word}" is in no write to the journal`];
    if (write.through) return write.returned < answer.begun ? [] : [`"${word}" was answered before its write returned`];
    const synced = calls.find(({ name, target, begun }) => {
      return name === 'fdatasync' && target === write.target && begun > write.returned;
    });
    if (synced === undefined) return [`"${word}" was never synced`];
    return synced.returned < answer.begun ? [] : [`"${word}" was answered before its sync returned`];
  });
}

const MADE_FOLDER = /^\d+ +[\d:.]+ mkdir(?:at\([^,]*, |\()"([^"]+)".*\) = 0$/;

/** The folders made in a trace whose names were not synced, by the folder above them, before this was written. */
export function unsyncedFolders(trace: string, before: string): readonly string[] {
  const calls = callsIn(trace);
  const end = calls.find(({ name, text }) => name === 'write' && text.startsWith(`, "${before}`));
  return trace.split('\n').flatMap((text, line) => {
    const [, folder] = MADE_FOLDER.exec(text) ?? [];
    if (folder === undefined || line > (end?.begun ?? 0)) return [];
    const isSynced = calls.some(({ name, target, begun, returned }) => {
      return name === 'fsync' && target === dirname(folder) && begun > line && returned < (end?.begun ?? 0);
    });
    return isSynced ? [] : [folder];
  });
}
