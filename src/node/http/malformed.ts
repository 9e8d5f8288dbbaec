/** What cannot be read as a request, in words of our own; whoever sent it is told what to do. */

import { WireError } from '../../core/lib/errors.ts';

export function malformed({ code = '' }: NodeJS.ErrnoException): WireError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new WireError('timeout', 'the request did not arrive in time', { field: 'arrival' });
    case 'HPE_HEADER_OVERFLOW':
      return new WireError('too_large', 'headers: expected 16 KiB at most, with the address', { field: 'headers' });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new WireError('too_large', 'body: expected chunks without extensions', { field: 'body' });
    default:
      return new WireError('bad_frame', `expected a request of HTTP/1.1; this is none (${code})`, { field: 'request' });
  }
}
