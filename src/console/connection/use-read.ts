/** Hook that reads from the hub for a component. */

import { useEffect, useState } from 'preact/hooks';
import { reasonOf } from './read-operations.ts';

export interface ReadState<Answer> {
  /** Null until the first answer, and after a failure. */
  readonly answer: Answer | null;
  readonly failure: string | null;
}

/** Reads again when an input changes; keeps the last answer meanwhile, and ignores answers to older inputs. */
export function useRead<Answer>(read: () => Promise<Answer>, inputs: readonly unknown[]): ReadState<Answer> {
  const [state, setState] = useState<ReadState<Answer>>({ answer: null, failure: null });
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (answer) => isCurrent && setState({ answer, failure: null }),
      (thrown) => isCurrent && setState({ answer: null, failure: reasonOf(thrown) }),
    );
    return () => {
      isCurrent = false;
    };
  }, inputs);
  return state;
}
