/** A run goes on by a program, and by nothing on this page: told where somebody might wait for it. */

import type { VNode } from 'preact';

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
