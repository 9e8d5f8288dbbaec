/** Decides the next move of the stub model from the answers of its tools. */

interface ToolCall {
  /** Name at the server. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Answered extends ToolCall {
  /** The answer as text. */
  readonly result: string;
}

export type Move =
  | { readonly kind: 'call'; readonly call: ToolCall }
  /** The final text, which ends the run. */
  | { readonly kind: 'end'; readonly text: string };

export type Brain = (history: readonly Answered[]) => Move;

/** Ends a model that loops; no run here needs as many calls. */
const MOST_CALLS = 60;

/** Participates in one session until it ends, with one line per turn. */
export function talker(name: string, lines: readonly string[]): Brain {
  return (history) => {
    const last = history.at(-1);
    if (history.length > MOST_CALLS) return { kind: 'end', text: `${name}: too many calls` };
    if (last === undefined) return call('wait_turn', {});
    const answer = objectIn(last.result);
    if (last.tool !== 'wait_turn') return call('wait_turn', { session: String(answer.session) });
    const { session, cursor, turn } = answer;
    switch (answer.status) {
      case 'invited':
        return call('accept_invite', { session });
      case 'your_turn': {
        const said = history.filter(({ tool }) => tool === 'say').length;
        return call('say', { session, turn, text: lines[said] ?? 'I have nothing to add.' });
      }
      case 'waiting':
        return call('wait_turn', { ...(session === undefined ? {} : { session }), cursor });
      case 'closed':
        return { kind: 'end', text: `${name}: the discussion is over` };
      default:
        return { kind: 'end', text: `${name}: cannot continue from ${last.result.slice(0, 300)}` };
    }
  };
}

function call(tool: string, args: Readonly<Record<string, unknown>>): Move {
  return { kind: 'call', call: { tool, args } };
}

/** The JSON object in a tool's answer, which may be surrounded by text. */
function objectIn(result: string): Readonly<Record<string, unknown>> {
  const from = result.indexOf('{');
  try {
    return JSON.parse(result.slice(from, result.lastIndexOf('}') + 1));
  } catch {
    return {};
  }
}
