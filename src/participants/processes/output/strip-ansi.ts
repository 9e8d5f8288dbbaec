/** Takes terminal sequences out of a text that comes in pieces: colours, cursor moves, titles, links. */

/**
 * Where in a sequence the text so far has ended. `string` is OSC, DCS and the like, up to BEL or ST; a line break ends every
 * sequence, so that one which is never finished cannot swallow what follows.
 */
type Place = 'text' | 'escape' | 'intermediate' | 'csi' | 'string' | 'string_escape';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const BEGINS = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/g;
const ESC = '\u001b';
const BEL = '\u0007';
const ST = '\u009c';

export class AnsiStripper {
  #place: Place = 'text';

  /** What of this piece is text. What a sequence began here goes on in the next piece. */
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
        // It belongs to no sequence: it is looked at again, as text.
        this.#place = 'text';
        continue;
      }
      at += 1;
    }
    return kept;
  }

  /** Goes on within a sequence; false = this character cancels it and is text. */
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
  // CAN and SUB cancel, and are no text either.
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
