/** Lines of the models in a discussion, one per turn, and the resulting transcript. */

import type { AgentClient } from 'parley-hub/client';
import type { Answer, Question } from './speaking-model.ts';

export const LINES = {
  claude: ['When do we release? I would say on Thursday.', 'I write the notes.'],
  codex: ['Thursday is fine, if the tests are green.', 'Then I read them over.'],
} as const;

/** The next line, from the number of answers in the CLI's conversation. */
export function nextLine({ tool, before }: Question): Answer {
  const lines: readonly string[] = tool === 'claude' ? LINES.claude : LINES.codex;
  return { text: lines[before.length] ?? 'I have nothing to add.' };
}

/** Two rounds, claude first. */
export const ROUNDS: readonly string[] = [0, 1].flatMap((round) =>
  (['claude', 'codex'] as const).map((name) => `${name}: ${LINES[name][round]}`),
);

export async function spokenLines(client: AgentClient, sessionId: string): Promise<readonly string[]> {
  const { envelopes } = await client.call('read_log', { session_id: sessionId });
  const { session } = await client.call('get_session', { session_id: sessionId });
  const names = new Map(session.participants.map(({ agent_id, name }) => [agent_id, name]));
  return envelopes
    .filter(({ event_type }) => event_type === 'msg.text')
    .map(({ sender_id, event_data }) => `${names.get(sender_id)}: ${String(event_data.text)}`);
}
