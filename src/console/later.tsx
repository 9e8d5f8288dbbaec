/** A page whose code is fetched when it is first gone to. */

import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function later<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | null = null;
  return function Later(props) {
    const [, redraw] = useState(0);
    const [failure, setFailure] = useState<string | null>(null);
    useEffect(() => {
      if (loaded !== null) return;
      load().then(
        (component) => {
          loaded = component;
          redraw((times) => times + 1);
        },
        (thrown: unknown) => setFailure(String(thrown)),
      );
    }, []);
    if (loaded !== null) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    return (
      <div class="page">
        <h1>{failure === null ? 'Loading…' : 'This page could not be loaded'}</h1>
        {failure !== null && <p class="refusal">{failure}</p>}
      </div>
    );
  };
}
