/** Builds the prompt of a turn: role, opening and messages; a resumed session gets only new messages. Pure. */

import type { Step, ThreadContext } from '../agent/agent-fn.ts';

/** The part of the thread that a tool's session already knows. */
export interface PromptState {
  readonly systemPrompt: string;
  /** Key of the latest step sent to the session; null if none was sent. */
  readonly newest: string | null;
  /** The session's own answer, which is also a step of the thread and need not be sent. */
  readonly answer: string;
}

export function toPromptState(ctx: ThreadContext, systemPrompt: string, answer: string): PromptState {
  const newest = ctx.steps.at(-1);
  return { systemPrompt, newest: newest === undefined ? null : keyOf(newest), answer };
}

/** The whole thread, or only the steps that a resumed session has not seen. */
export function buildPrompt(ctx: ThreadContext, systemPrompt: string, before: PromptState | null): string {
  const fresh = before === null ? null : stepsSince(ctx, before);
  if (before === null || fresh === null) return textOf(ctx, systemPrompt, [ctx.start, ...stepsAfterStart(ctx)]);
  return textOf(ctx, before.systemPrompt === systemPrompt ? '' : systemPrompt, fresh);
}

/** The unseen steps; null if the view was shortened or rewritten and they cannot be determined. */
function stepsSince(ctx: ThreadContext, before: PromptState): readonly Step[] | null {
  const known = before.newest === null ? -1 : ctx.steps.findLastIndex((step) => keyOf(step) === before.newest);
  if (known === -1 && before.newest !== null) return null;
  const since = known === -1 ? stepsAfterStart(ctx) : ctx.steps.slice(known + 1);
  const own = since.findIndex(({ role, content }) => role === 'assistant' && content.trim() === before.answer.trim());
  return since.filter((_, index) => index !== own);
}

/** Views may repeat the opening as the first step. */
function stepsAfterStart(ctx: ThreadContext): readonly Step[] {
  const [first] = ctx.steps;
  return first !== undefined && keyOf(first) === keyOf(ctx.start) ? ctx.steps.slice(1) : ctx.steps;
}

function keyOf(step: Step): string {
  return JSON.stringify([step.role, step.timestamp, step.content]);
}

function textOf({ start }: ThreadContext, systemPrompt: string, steps: readonly Step[]): string {
  const tag = tagFor(steps);
  const messages = steps.map((step) => {
    const from = attributeOf(speakerOf(step));
    return `<${tag} from="${from}" at="${attributeOf(step.timestamp)}">\n${step.content}\n</${tag}>`;
  });
  // Name the agent, so that it recognizes its own messages.
  const own = typeof start.meta.name === 'string' ? attributeOf(start.meta.name) : '';
  const parts = [
    systemPrompt.trim(),
    ...messages,
    `It is your turn${own === '' ? '' : `, ${own}`}. Answer with the text of your next message, nothing else.`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Returns the sender's name, otherwise the role. In the opening, `meta.name` is the agent itself. */
function speakerOf({ role, meta }: Step): string {
  const name = meta.from ?? (meta.participants === undefined ? meta.name : undefined);
  return typeof name === 'string' && attributeOf(name) !== '' ? name : role;
}

/** A tag that no message contains, so that no message can close it early or imitate another message. */
function tagFor(steps: readonly Step[]): string {
  const isTaken = (tag: string): boolean =>
    steps.some(({ content }) => content.includes(`<${tag} `) || content.includes(`</${tag}>`));
  let tag = 'message';
  for (let number = 2; isTaken(tag); number += 1) tag = `message-${number}`;
  return tag;
}

function attributeOf(text: string): string {
  return text.replace(/[\s"<>&]+/g, ' ').trim();
}
