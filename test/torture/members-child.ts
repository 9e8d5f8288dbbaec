/** A process with some members, which may be killed at any moment. */

import { Member } from './member.ts';
import type { FromMembers, MembersPlan, ToMembers } from './messages.ts';

const { members, names, forgets } = JSON.parse(process.argv[2] ?? '{}') as MembersPlan;
const tell = (message: FromMembers): void => void (process.connected && process.send?.(message, () => {}));
const here = members.map((plan) => new Member(plan, names, { forgets, tell }));

// The parent has ended, so end too.
process.on('disconnect', () => process.exit(1));
process.on('message', ({ kind }: ToMembers) => {
  if (kind === 'finish') for (const member of here) member.finish();
  else void Promise.all(here.map((member) => member.leave())).then(() => process.exit(0));
});
await Promise.all(here.map((member) => member.run()));
tell({ kind: 'finished' });
