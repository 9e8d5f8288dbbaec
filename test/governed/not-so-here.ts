/** What was seen to go wrong with the reference implementation, and the test that it does not here. The page of governed sessions shows this list. */

export interface NotSoHere {
  /** What the reference does. */
  readonly defect: string;
  readonly file: string;
  /** Of a test in that file, as it is written there. */
  readonly title: string;
}

const CONFORMANCE: readonly NotSoHere[] = [
  {
    defect: 'A one-line adapter that prints "pass" passes every fixture: nobody compares anything.',
    file: 'test/conformance/false-passes.test.ts',
    title: '[GV19] a program that says pass to everything, %s, gets none of the fixtures',
  },
  {
    defect: 'An adapter that answers "not implemented" to everything passes over all.',
    file: 'test/conformance/false-passes.test.ts',
    title: '[GV19, GX6] a program that implements nothing gets none of the fixtures, and that is no pass',
  },
  {
    defect: 'A tier that is not claimed counts as passed, with 0 of 0 fixtures.',
    file: 'test/conformance/false-passes.test.ts',
    title:
      '[GX6] a tier that is not claimed is not passed: who claims the third alone is asked nothing of the first two',
  },
  {
    defect: 'Asked for a surface that a tier does not have, it runs nothing and passes.',
    file: 'test/conformance/verifier.test.ts',
    title: '[GX6] one surface of a tier that has none of it: nothing was asked, so nothing is conformant',
  },
  {
    defect: 'The verdict is that of the last fixture that did not pass: a failure hides the error before it.',
    file: 'test/conformance/false-passes.test.ts',
    title: '[GV19] what comes last does not hide what came before: errors and failures are counted each for themselves',
  },
  {
    defect: 'An adapter that hangs hangs the verifier for ever.',
    file: 'test/conformance/verifier.test.ts',
    title: 'an adapter that never ends: it is ended, with all it started, whatever signals they ignore',
  },
  {
    defect: 'The adapter is shown what is expected of it.',
    file: 'test/conformance/remote.test.ts',
    title: '[GX5] nobody is shown what is expected, and only who was given a token gets one',
  },
  {
    defect: 'Five fixtures fail for another reason than the one they describe: mended, they are refused all the same.',
    file: 'test/conformance/mutants.test.ts',
    title: '[GV20] in delegation and carry-over the fixtures of the project have one defect each',
  },
  {
    defect: 'A third of the fixtures try code that is in the conformance adapter only, and in no product.',
    file: 'test/conformance/adapter.test.ts',
    title: '[GV18] the adapter imports parley-hub/governed, the inflation and the comparison, and nothing else',
  },
  {
    defect: 'Configs that its fixtures call valid are refused by its own product.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV16, GR1] every config that fixtures call valid is one that a run begins with',
  },
];

const RESULTS: readonly NotSoHere[] = [
  {
    defect: 'The example of a turn result in its own documentation is refused.',
    file: 'test/governed/drivers/page.test.ts',
    title: '[GA1] the result of the page, brought by an adapter, is one that the run takes',
  },
  {
    defect: 'Exit code 1 under a claimed pass becomes an expected failure.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV4, GR1] that claims a pass over exit code 1 is refused, and the failure is not called expected',
  },
  {
    defect: 'A reviewer who needs a human to approve the release is read as asking for the end of the run.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV5, GV10] who asks for a person in friendly words has not asked for the end of the run',
  },
  {
    defect: 'Of thirteen required members seven are made up when they are missing, the summary among them.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV4, GV5, GR1] without its %s is refused: what is missing is not made up',
  },
  {
    defect: 'A turn that needs a person and does not say why is taken with a warning.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV4, GR1] that needs a person and does not say why is refused',
  },
  {
    defect: 'Reserved files are four exact names: `./`, `..`, other books of the run and absolute paths get past.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV6, GR1] that says it changed %s is refused: no alias leads to what is not its own',
  },
  {
    defect: 'A decision may override one that nobody made.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV13, GR1] with a decision for the %s that overrides one nobody made is refused',
  },
];

const BOOKS: readonly NotSoHere[] = [
  {
    defect: 'Acceptance takes a decision id that is in the ledger already: it is there twice.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GV8, GR1] turns that all call their decision DEC-001 do not fill the ledger with it',
  },
  {
    defect: 'Decision ids that are replaced are numbered by their place, and collide from turn to turn.',
    file: 'test/governed/engine/acceptance.test.ts',
    title: '[GV5, GV8] an id that is allocated is free in the ledger, and recorded',
  },
  {
    defect: 'A turn that is accepted again is not found, instead of already accepted.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GR4] a turn that was accepted is told to be so, by whomever and whenever it is accepted again',
  },
  {
    defect: 'Of six processes that accept the same turn two may win.',
    file: 'test/governed/runner/race.test.ts',
    title: '[GR4] one wins, five are told that it was accepted, and the books have it once',
  },
  {
    defect: 'A lock that a live process holds is stolen after 30 s.',
    file: 'test/governed/runner/live-owner.test.ts',
    title:
      '[GR2] a live owner keeps the run for more than 31 s, even while it is stopped: others are told so, and take nothing',
  },
  {
    defect: 'A crash between the books and the state has history and ledger written twice.',
    file: 'test/governed/runner/kill.test.ts',
    title: '[GR3] killed at $step (after the post: $isAfterPost)',
  },
  {
    defect: 'What a crash has left is replayed over a newer state.',
    file: 'test/governed/runner/not-taken.test.ts',
    title: '[GR3, GR5] what was saved of a run earlier and is put back does not undo what was accepted since',
  },
  {
    defect: 'A torn last line is appended to.',
    file: 'test/governed/runner/kill.test.ts',
    title: '[GR5] a last line that was torn, a book that was edited and one that is gone are mended from the log',
  },
  {
    defect: 'Assign, bundle, accept by its documented calls gives events that fail its own rule of order.',
    file: 'test/governed/runner/loop.test.ts',
    title: '[GR6, GR8] init, assign, bundle, stage, accept, approve, and to the end',
  },
  {
    defect: 'It tells events of 18 types that are not in its own list.',
    file: 'test/governed/runner/events.test.ts',
    title: '[GV15, GR6] a run to which everything happens tells it in known types, in an order that holds',
  },
];

const LOOP: readonly NotSoHere[] = [
  {
    defect: 'The time of a turn is not kept: a worker that takes five times as long completes normally.',
    file: 'test/governed/loop/loop.test.ts',
    title:
      '[GL8] is over for a dispatch that does not end: it is told, the turn is tried again, and what comes late is ignored',
  },
  {
    defect: 'A dispatch is never told that its time is over.',
    file: 'test/governed/loop/loop.test.ts',
    title: '[GL8] also for one that ends in time to say so, and its tries can be used up by it',
  },
  {
    defect: 'A dispatch that returns nothing makes the loop throw.',
    file: 'test/governed/loop/loop.test.ts',
    title: '[GL4] that %s is a typed error; the turn stays out and goes out again',
  },
  {
    defect: 'A loop cannot be told to stop.',
    file: 'test/governed/loop/loop.test.ts',
    title: '[GL9] while a turn is out tells it, ends, and the next loop gives the same turn out again',
  },
  {
    defect: 'The loop never seals the bundles it sends out.',
    file: 'test/governed/loop/loop.test.ts',
    title: '[GL13] goes out with a bundle that is sealed, and its digest',
  },
];

const ADAPTERS: readonly NotSoHere[] = [
  {
    defect: 'A half-written result is taken from a person.',
    file: 'test/governed/drivers/manual.test.ts',
    title: '[GA3] half a result is not taken, and told when the time is over',
  },
  {
    defect: 'A program that ends with 7 and leaves garbage in the place of its result has done well.',
    file: 'test/governed/drivers/hard-ends.test.ts',
    title: '[GA5] exit code 7 with garbage in the place of the result is a failure, and the garbage is kept',
  },
  {
    defect: 'A grandchild that holds the output keeps the adapter waiting long after its time.',
    file: 'test/governed/drivers/hard-ends.test.ts',
    title: '[GA5] a grandchild in a group of its own that holds the output does not make a timeout longer',
  },
  {
    defect: 'A program that somebody else kills is said to have run out of time.',
    file: 'test/governed/drivers/hard-ends.test.ts',
    title: '[GA5] an agent that somebody kills outright has not run out of its time',
  },
  {
    defect: 'A model that answers 429 is not asked again, unless that was switched on.',
    file: 'test/governed/drivers/api-proxy.test.ts',
    title: '429 is tried again after 1, 2, 4, 8 and 16 s, and then it fails as transient',
  },
  {
    defect: 'Retry-After is ignored.',
    file: 'test/governed/drivers/api-proxy.test.ts',
    title: 'Retry-After is the least to wait, and what does not fit into the time is not waited for',
  },
  {
    defect: 'The time of a request ends with the headers: a body that stalls is waited for without end.',
    file: 'test/governed/drivers/api-proxy.test.ts',
    title: 'a body that stalls runs out of the same time',
  },
  {
    defect: 'The key of one provider is part of an address, which is written into a file.',
    file: 'test/governed/drivers/hard-ends.test.ts',
    title: '[GA9] the key of google is in no address, no file and no word',
  },
  {
    defect: 'Costs are rounded to a tenth of a cent: small answers cost nothing.',
    file: 'test/governed/drivers/hard-ends.test.ts',
    title: '[GA7] a small answer of a cheap model has its price, which is not rounded to nothing',
  },
  {
    defect: 'A model whose price is not known costs 0.',
    file: 'test/governed/drivers/hard-ends.test.ts',
    title: '[GA7] a model whose price nobody knows costs null, and not nothing',
  },
];

const FILES: readonly NotSoHere[] = [
  {
    defect: 'The request to a model is written into the sealed bundle, so that a second dispatch is refused.',
    file: 'test/governed/drivers/hard-ends.test.ts',
    title: '[GA1, GA9] goes out again after it failed, with the bundle as it was sealed and the request beside it',
  },
  {
    defect: 'Files in sub-folders of a bundle are not sealed.',
    file: 'test/governed/dispatch/manifest.test.ts',
    title: '[GF2] changes in sub-folders are found as well',
  },
  {
    defect: 'A manifest of another run, turn or role is as good as the right one.',
    file: 'test/governed/dispatch/manifest.test.ts',
    title: "[GF3] the sealed bundle of another turn, put in its place, is somebody else's",
  },
  {
    defect: 'A hook that ignores SIGTERM hangs everything.',
    file: 'test/governed/hooks/processes.test.ts',
    title: '[GH5] a hook that ignores SIGTERM, and what it started, is gone when its phase ends: it hangs nobody',
  },
  {
    defect: 'While a hook runs the whole process stands still.',
    file: 'test/governed/hooks/processes.test.ts',
    title: '[GH5] a hook that runs does not stop the process: others have their turn meanwhile',
  },
  {
    defect: 'Secrets and payloads of hooks are among the arguments of processes.',
    file: 'test/governed/hooks/processes.test.ts',
    title:
      '[GH5, GH7] a secret reaches a hook by its environment and the payload by its stdin; neither is among its arguments, and the secret is not written down',
  },
  {
    defect: 'A coordinator that projects the same turn twice has it twice.',
    file: 'test/governed/coordinator/on-disk.test.ts',
    title: '[GC2] the same turn projected twice, by two at once, is in the history once',
  },
];

export const NOT_SO_HERE: readonly NotSoHere[] = [...CONFORMANCE, ...RESULTS, ...BOOKS, ...LOOP, ...ADAPTERS, ...FILES];

/** As it stands on the page. */
export function tableOf(list: readonly NotSoHere[]): string {
  const rows = list.map(({ defect, file, title }) => `| ${defect} | \`${title}\` in \`${file}\` |`);
  return ['| the reference | the test that it is not so here |', '|---|---|', ...rows].join('\n');
}
