/** Records every call of an adapter's deciding members with its arguments and outcome. */

import type { CompleteAdapter } from '../../core/ports/adapter.ts';

export type Decider = 'initialState' | 'validateCreate' | 'validateSend' | 'fold' | 'onAccepted' | 'expectedNext';

export type Outcome<T = unknown> = { readonly value: T } | { readonly thrown: unknown };

export interface Call<Member extends Decider = Decider> {
  readonly member: Member;
  readonly args: Parameters<CompleteAdapter[Member]>;
  readonly outcome: Outcome<ReturnType<CompleteAdapter[Member]>>;
}

interface Recording {
  /** Behaves like the given adapter, including throws. */
  readonly adapter: CompleteAdapter;
  readonly calls: readonly Call[];
}

export function recordCalls(adapter: CompleteAdapter): Recording {
  const calls: Call[] = [];
  const watched =
    <Member extends Decider>(member: Member) =>
    (...args: Parameters<CompleteAdapter[Member]>): ReturnType<CompleteAdapter[Member]> => {
      const outcome = callMember(adapter, member, args);
      calls.push({ member, args, outcome });
      if ('thrown' in outcome) throw outcome.thrown;
      return outcome.value;
    };
  const recording: CompleteAdapter = {
    ...adapter,
    initialState: watched('initialState'),
    validateCreate: watched('validateCreate'),
    validateSend: watched('validateSend'),
    fold: watched('fold'),
    onAccepted: watched('onAccepted'),
    expectedNext: watched('expectedNext'),
  };
  return { adapter: recording, calls };
}

export function callMember<Member extends Decider>(
  adapter: CompleteAdapter,
  member: Member,
  args: Parameters<CompleteAdapter[Member]>,
): Outcome<ReturnType<CompleteAdapter[Member]>> {
  // TypeScript cannot relate a generic member to its arguments.
  const call = adapter[member] as (...args: unknown[]) => ReturnType<CompleteAdapter[Member]>;
  try {
    return { value: call(...args) };
  } catch (thrown) {
    return { thrown };
  }
}

export function callsOf<Member extends Decider>(calls: readonly Call[], member: Member): readonly Call<Member>[] {
  // The member determines the call type.
  return calls.filter((call) => call.member === member) as unknown as readonly Call<Member>[];
}
