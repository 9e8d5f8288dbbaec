/** Loads the code of a page on the first visit; retries a failed load when the hub is reachable again. */

import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useConsole } from './state/use-store.ts';

export function lazyPage<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | null = null;
  return function Later(props) {
    const [, redraw] = useState(0);
    const [failure, setFailure] = useState<string | null>(null);
    const isOpen = useConsole((state) => state.connection.kind === 'open');
    useEffect(() => {
      if (Loaded !== null) return;
      const stopCollecting = collectFailedStyles();
      retryFailedStyles()
        .then(load)
        .then(
          (component) => {
            Loaded = component;
            redraw((times) => times + 1);
          },
          (thrown: unknown) => setFailure(String(thrown)),
        )
        .finally(stopCollecting);
    }, [isOpen]);
    if (Loaded !== null) return <Loaded {...props} />;
    return (
      <div class="page">
        <h1>{failure === null ? 'Loading…' : 'This page could not be loaded'}</h1>
        {failure !== null && <p class="refusal">{failure}</p>}
      </div>
    );
  };
}

/** Style sheets that failed to load. The bundle's loader requests each only once and ignores failures. */
const failedStyles = new Set<HTMLLinkElement>();

/** Collects style sheets that fail to load until the returned function is called. */
function collectFailedStyles(): () => void {
  const collect = ({ target }: Event): void => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
    failedStyles.add(target);
    target.remove();
  };
  document.addEventListener('error', collect, true);
  return () => document.removeEventListener('error', collect, true);
}

async function retryFailedStyles(): Promise<void> {
  const links = [...failedStyles];
  failedStyles.clear();
  const results = await Promise.allSettled(links.map(reloadStyle));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Inserts a copy: browsers do not request a failed link element again. */
function reloadStyle(link: HTMLLinkElement): Promise<void> {
  const copy = link.cloneNode() as HTMLLinkElement;
  return new Promise((resolve, reject) => {
    copy.onload = () => resolve();
    copy.onerror = () => reject(new Error(`${copy.href} could not be loaded`));
    document.head.append(copy);
  });
}
