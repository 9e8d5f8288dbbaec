/** What the person is told about what they did; the newest few, until they are dismissed. */

import { type Notice, update } from './console-state.ts';

const MOST = 4;
let last = 0;

export function tell(kind: Notice['kind'], text: string): void {
  last += 1;
  const notice = { id: last, kind, text };
  update(({ notices }) => ({ notices: [...notices.slice(1 - MOST), notice] }));
}

export function dismiss(id: number): void {
  update(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
}
