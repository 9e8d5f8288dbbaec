/** A page whose code is fetched when it is first gone to, and again when the hub is back that was out of reach then. */

import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useConsole } from './state/use-store.ts';

export function lazyPage<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | null = null;
  return function Later(props) {
    const [, redraw] = useState(0);
    const [failure, setFailure] = useState<string | null>(null);
    const isOpen = useConsole((state) => state.connection.kind === 'open');
    useEffect(() => {
      if (loaded !== null) return;
      const stopCollecting = collectUnfetched();
      fetchAgain()
        .then(load)
        .then(
          (component) => {
            loaded = component;
            redraw((times) => times + 1);
          },
          (thrown: unknown) => setFailure(String(thrown)),
        )
        .finally(stopCollecting);
    }, [isOpen]);
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

/** Styles that could not be fetched. The loader of the bundle asks for each once, and takes it for fetched the next time. */
const unfetched = new Set<HTMLLinkElement>();

/** Until the function it returns is called. */
function collectUnfetched(): () => void {
  const collect = ({ target }: Event): void => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
    unfetched.add(target);
    target.remove();
  };
  document.addEventListener('error', collect, true);
  return () => document.removeEventListener('error', collect, true);
}

async function fetchAgain(): Promise<void> {
  const links = [...unfetched];
  unfetched.clear();
  const fetched = await Promise.allSettled(links.map(fetchOne));
  for (const one of fetched) if (one.status === 'rejected') throw one.reason;
}

/** By a new element: one whose fetch has failed does not fetch again. */
function fetchOne(link: HTMLLinkElement): Promise<void> {
  const again = link.cloneNode() as HTMLLinkElement;
  return new Promise((resolve, reject) => {
    again.onload = () => resolve();
    again.onerror = () => reject(new Error(`${again.href} could not be fetched`));
    document.head.append(again);
  });
}
