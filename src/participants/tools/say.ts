/** The tool `say`: the answer of this turn, or a text in another session. */

import { type HubTool, keyFor, parameters, shown } from './lib/hub-tool.ts';

export const say: HubTool = {
  name: 'say',
  description:
    'Says a text. Without `session` it is your answer here, and ends your turn; to answer without it, just write. ' +
    'With the id of another session that you are in (see sessions) it is said there, and your turn goes on.',
  parameters: parameters(
    {
      text: { type: 'string', minLength: 1, maxLength: 200_000, description: 'What to say.' },
      session: { type: 'string', minLength: 1, maxLength: 128, description: 'Another session, by its id.' },
    },
    'text',
  ),
  async run({ text, session }, scene) {
    const words = String(text);
    if (session === undefined || session === scene.session.id) return { kind: 'ends', text: words };
    const key = keyFor(scene, 'say', String(session), words);
    const { seq } = await scene.client.session(String(session)).send(words, { key });
    return shown({ session: String(session), seq, said: true });
  },
};
