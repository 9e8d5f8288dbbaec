/** What stops a run, in words: the engine names it by a prefix, and its question is told beside it already. Pure. */

export function stopWords(what: string, detail: string): string {
  const [kind = '', ...rest] = what.split(':');
  const about = rest.join(':').trim();
  if (about === '') return what;
  if (kind === 'human') return about === detail.trim() ? 'a question for a person' : `a person is needed: ${about}`;
  if (kind === 'turn') return `the turn ${about} stands still`;
  return kind === 'escalation' ? `escalated: ${about.replaceAll(':', ', ').replaceAll('-', ' ')}` : what;
}
