/** Several of a kind in a row are drawn as one line: invites, their answers, and who has heard of a closing. */

export type Gathered = 'invite' | 'accept' | 'ack';

export interface GatheredLine {
  readonly kind: Gathered;
  /** The seq of the first and of the last. */
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
}

export class Gathering {
  private line: GatheredLine | null = null;

  /** False = it is of another kind than those before it, which have to be taken first. */
  add(kind: Gathered, seq: number, name: string): boolean {
    if (this.line !== null && this.line.kind !== kind) return false;
    const { from, names } = this.line ?? { from: seq, names: [] };
    this.line = { kind, from, to: seq, names: [...names, name] };
    return true;
  }

  take(): GatheredLine | null {
    const { line } = this;
    this.line = null;
    return line;
  }
}

export function describeGathered({ kind, to, names }: GatheredLine): string {
  const all = [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ');
  switch (kind) {
    case 'invite':
      return `invites ${all}`;
    case 'accept':
      return names.length === 1 ? `${all} accepts the invite` : `${all} accept their invites`;
    case 'ack':
      return `${all} ${names.length === 1 ? 'has' : 'have'} heard of it (acks of ${to})`;
  }
}
