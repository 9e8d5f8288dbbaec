/** Renders a word in a frame. The colour adds no information. */

import type { VNode } from 'preact';
import { shortText } from '../../text/visible-text.ts';

type Tone = 'good' | 'warn' | 'bad' | 'lit' | 'quiet';

const WORDS: Readonly<Record<Exclude<Tone, 'quiet'>, readonly string[]>> = {
  good: ['completed', 'passed', 'pass', 'approved', 'done'],
  lit: ['active', 'current', 'running'],
  warn: ['paused', 'waiting', 'retrying', 'needs_human', 'stalled', 'high'],
  bad: ['blocked', 'blocking', 'failed', 'fail', 'refused', 'failed_start', 'failed_acceptance', 'conflicted'],
};
const TONES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([tone, words]) => words.map((word) => [word, tone] as const)),
);

export function Badge({ word }: { readonly word: string }): VNode {
  return (
    <span class={`run-badge run-badge-${TONES.get(word) ?? 'quiet'}`}>{shortText(word.replaceAll('_', ' '))}</span>
  );
}

export function RunnerNote(): VNode {
  return (
    <p>
      A runner program starts a run and assigns its turns; this page cannot. In a project folder,{' '}
      <code>parley up --run .</code> opens and serves its runs, and <code>parley run init</code>, <code>assign</code>,{' '}
      <code>accept</code> or <code>loop</code> drive them. A session opened here stays idle until your runner program
      joins it.
    </p>
  );
}
