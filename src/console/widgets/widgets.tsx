/** Small components that several pages use. */

import type { ComponentChildren } from 'preact';
import { hrefOf, NO_FILTER, sessionHref } from '../state/route.ts';
import { Line } from '../text/untrusted-text.tsx';

interface LineInProps {
  readonly tag: 'strong' | 'span' | 'p';
  readonly class?: string;
  readonly text: string;
  readonly most: number;
}

/** A line of untrusted text in an element with the given tag. */
export function LineIn({ tag: Tag, class: name, text, most }: LineInProps) {
  return (
    <Tag class={name}>
      <Line text={text} most={most} />
    </Tag>
  );
}

export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Line text={name} most={60} />
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows the end of the id, as everywhere in the console. */
export function SessionLink({ id }: { id: string }) {
  return (
    <a href={sessionHref(id)} class="mono">
      {id.slice(-8)}
    </a>
  );
}

export function AllSessionsLink({ text = 'All sessions' }: { text?: string }) {
  return (
    <p>
      <a href={hrefOf({ page: 'sessions', filter: NO_FILTER })}>{text}</a>
    </p>
  );
}

/** The element exists even without a reason, so that screen readers announce one when it appears. */
export function Refusal({ id, why }: { id?: string; why: string | null }) {
  return (
    <div id={id} role="alert">
      {why !== null && (
        <p class="refusal">
          <Line text={why} most={400} />
        </p>
      )}
    </div>
  );
}

/** Shown in place of data that could not be read. */
export function Failure({ title, why }: { title?: string; why: string }) {
  return (
    <p class="refusal" role="alert">
      {title !== undefined && `${title}: `}
      <Line text={why} most={400} />
    </p>
  );
}
