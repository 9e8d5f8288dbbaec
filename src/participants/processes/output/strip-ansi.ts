/**
 * The position within a terminal sequence. `string` is OSC, DCS and similar, up to BEL or ST. A line break ends every
 * sequence, so that an unfinished one cannot swallow the text after it.
 */
type Place = 'text' | 'escape' | 'intermediate' | 'csi' | 'string' | 'string_escape';

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters.
const BEGINS = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/g;
const ESC = '\u001b';
const BEL = '\u0007';
const ST = '\u009c';

/** Removes terminal sequences (colours, cursor moves, titles, links) from text that arrives in chunks. */
export class AnsiStripper {
  #place: Place = 'text';

  /** Returns the text of this chunk; a sequence may continue in the next one. */
  strip(piece: string): string {
    let kept = '';
    let at = 0;
    while (at < piece.length) {
      if (this.#place === 'text') {
        const begin = nextBegin(piece, at);
        kept += piece.slice(at, begin);
        at = begin;
        if (at < piece.length) this.#place = placeAfter(piece.charAt(at));
      } else if (!this.#takes(piece.charAt(at))) {
        // Not part of a sequence: process it again as text.
        this.#place = 'text';
        continue;
      }
      at += 1;
    }
    return kept;
  }

  /** Continues a sequence; false if this character cancels the sequence and is text. */
  #takes(char: string): boolean {
    const next = nextPlace(this.#place, char);
    if (next === null) return false;
    this.#place = next;
    return true;
  }
}

function nextBegin(piece: string, from: number): number {
  BEGINS.lastIndex = from;
  return BEGINS.exec(piece)?.index ?? piece.length;
}

function placeAfter(begin: string): Place {
  if (begin === ESC) return 'escape';
  return begin === '\u009b' ? 'csi' : 'string';
}

function nextPlace(place: Place, char: string): Place | null {
  if (char === '\n') return null;
  if (place === 'string') return inString(char);
  if (place === 'string_escape') return char === '\\' ? 'text' : nextPlace('escape', char);
  if (char === ESC) return 'escape';
  // CAN and SUB cancel a sequence and are not text.
  if (char === '\u0018' || char === '\u001a') return 'text';
  if (place === 'escape') return afterEscape(char);
  if (place === 'csi') return isWithin(char, ' ', '?') ? 'csi' : isWithin(char, '@', '~') ? 'text' : null;
  return isWithin(char, ' ', '/') ? 'intermediate' : isWithin(char, '0', '~') ? 'text' : null;
}

function inString(char: string): Place {
  if (char === ESC) return 'string_escape';
  return char === BEL || char === ST || char === '\u0018' || char === '\u001a' ? 'text' : 'string';
}

function afterEscape(char: string): Place | null {
  if (char === '[') return 'csi';
  if (char === ']' || char === 'P' || char === 'X' || char === '^' || char === '_') return 'string';
  if (isWithin(char, ' ', '/')) return 'intermediate';
  return isWithin(char, '0', '~') ? 'text' : null;
}

function isWithin(char: string, first: string, last: string): boolean {
  return char >= first && char <= last;
}
