/** A change of a text, as lines for people: what goes, what comes, and a little of what is around it. */

const AROUND = 2;
/** Values of members whose names say that they are secret. They are somebody else's, and may end up in a log. */
const SECRET = /((?:token|secret|key|passw|auth|cookie)[^\n:=]{0,40}[:=]\s*)(["'])(?:\\.|(?!\2).)*\2/gi;

export interface ChangedLine {
  readonly kind: 'same' | 'out' | 'in';
  readonly text: string;
}

export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const old = linesOf(before);
  const young = linesOf(after);
  let head = 0;
  while (head < Math.min(old.length, young.length) && old[head] === young[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, young.length) - head;
  while (tail < most && old[old.length - 1 - tail] === young[young.length - 1 - tail]) tail += 1;
  return [
    ...old.slice(Math.max(0, head - AROUND), head).map((text) => lineOf('same', text)),
    ...old.slice(head, old.length - tail).map((text) => lineOf('out', text)),
    ...young.slice(head, young.length - tail).map((text) => lineOf('in', text)),
    ...old.slice(old.length - tail, old.length - tail + AROUND).map((text) => lineOf('same', text)),
  ];
}

/** What comes in is ours, and has no secrets. */
function lineOf(kind: ChangedLine['kind'], text: string): ChangedLine {
  return { kind, text: kind === 'in' ? text : text.replaceAll(SECRET, '$1$2…$2') };
}

const SIGN = { same: '  ', out: '- ', in: '+ ' } as const;

export function plainLine({ kind, text }: ChangedLine): string {
  return `${SIGN[kind]}${text}`;
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
