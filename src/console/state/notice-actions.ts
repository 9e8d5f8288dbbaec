/** Shows the newest few notices until the person dismisses them. */

import { type Notice, update } from './console-state.ts';

const MAX_NOTICES = 4;
let last = 0;

export function showNotice(kind: Notice['kind'], text: string): void {
  last += 1;
  const notice = { id: last, kind, text };
  update(({ notices }) => ({ notices: [...notices.slice(1 - MAX_NOTICES), notice] }));
}

export function dismissNotice(id: number): void {
  update(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
}
