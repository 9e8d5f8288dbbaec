/** Sentences that stay although a pattern finds them: headings, noun phrases and quotations. This list may only shrink. */
export const PROSE_EXCEPTIONS: readonly string[] = [
  'what is stored or sent:',
  'what was expected;',
  'who may speak',
  'what is trusted, and how to report a vulnerability',
  'who may talk to whom, limits, rates (wire x).',
  'Who may connect',
  'Who can do what',
  'UI1** The page consists of its own files:',
  "other words for pass, fail and workspace, files as objects, the other name of the reason, a run that is not the turn's, an invalid decision id, an empty workspace that only asks for what comes next.",
  'what is wrong, what to type next, and the exit code.',
  'what is wrong, and what to do next.',
  'What was wrong with attempt 1 at artifact\\n\\nIt leaks\\n- oil',
  'what ends it, its progress notices, and its statelessness.',
];
