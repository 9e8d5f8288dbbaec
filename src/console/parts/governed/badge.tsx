/** A word in a frame. Its colour only repeats what it says. */

import type { VNode } from 'preact';
import { shortText } from '../../text/visible-text.ts';

type Tone = 'good' | 'warn' | 'bad' | 'lit' | 'quiet';

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['completed', 'good'],
  ['passed', 'good'],
  ['pass', 'good'],
  ['approved', 'good'],
  ['done', 'good'],
  ['active', 'lit'],
  ['current', 'lit'],
  ['running', 'lit'],
  ['paused', 'warn'],
  ['waiting', 'warn'],
  ['retrying', 'warn'],
  ['needs_human', 'warn'],
  ['stalled', 'warn'],
  ['high', 'warn'],
  ['blocked', 'bad'],
  ['blocking', 'bad'],
  ['failed', 'bad'],
  ['fail', 'bad'],
  ['refused', 'bad'],
  ['failed_start', 'bad'],
  ['failed_acceptance', 'bad'],
  ['conflicted', 'bad'],
]);

export function Badge({ word }: { readonly word: string }): VNode {
  return (
    <span class={`run-badge run-badge-${TONES.get(word) ?? 'quiet'}`}>{shortText(word.replaceAll('_', ' '))}</span>
  );
}

export function RunnerNote(): VNode {
  return (
    <p>
      A runner program begins a run and gives out its turns; this page does not. <code>parley up --run .</code> in the
      folder of a project opens and serves its runs at a hub, and <code>parley run init</code>, <code>assign</code>,{' '}
      <code>accept</code> or <code>loop</code> there drive them. A session opened from here stays idle until a program
      of yours speaks for its runner.
    </p>
  );
}
