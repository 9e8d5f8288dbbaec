/** Says what the hub refused in the words of the tools: their arguments, their names. */

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/params\.session_id/g, 'session'],
  [/params\.task_id/g, 'task'],
  [/params\.(target|routing\.target)|(event_data\.)?routing\.target/g, 'to'],
  [/params\.participants(\.\d+)*/g, 'participants'],
  [/params\.prompt/g, 'question'],
  [/params\.(\w+)/g, '$1'],
  [/\bread_log shows\b/g, 'session_read shows'],
  [/\breject_invite\b/g, 'decline_invite'],
  [/\back_invite\b/g, 'accept_invite'],
  [/\bmsg\.packet\b/g, 'handoff and finish'],
  [/\bmsg\.text\b/g, 'say'],
];

export function plainWords(text: string): string {
  return WORDS.reduce((said, [theirs, ours]) => said.replace(theirs, ours), text);
}
