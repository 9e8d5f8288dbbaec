/** What else a session is marked with, beside what it is for: a few small tags; all of them are in its metadata. */

import { Line } from '../text/untrusted-text.tsx';

const MAX_SHOWN = 6;

export function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  const others = Object.entries(labels).filter(([name]) => name !== 'intent');
  if (others.length === 0) return null;
  const more = others.length - MAX_SHOWN;
  return (
    <ul class="labels" aria-label="Labels">
      {others.slice(0, MAX_SHOWN).map(([name, value]) => (
        <li key={name} class="label">
          <Line text={`${name}: ${value}`} most={40} />
        </li>
      ))}
      {more > 0 && <li class="dim">and {more} more in the metadata</li>}
    </ul>
  );
}
