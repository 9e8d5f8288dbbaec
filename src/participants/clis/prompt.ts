/**
 * The prompt of a turn: who the agent is, how the thread began, what was said since. A tool that goes on with its own
 * conversation is told only what is new. Pure.
 */

import type { Step, ThreadContext } from '../agent/agent-fn.ts';

/** What a conversation of a tool already knows of the thread. */
export interface PromptState {
  readonly systemPrompt: string;
  /** The newest step it was told of; null when there was none yet. */
  readonly newest: string | null;
  /** What it answered: that comes back as a step, which it need not be told. */
  readonly answer: string;
}

export function toPromptState(ctx: ThreadContext, systemPrompt: string, answer: string): PromptState {
  const newest = ctx.steps.at(-1);
  return { systemPrompt, newest: newest === undefined ? null : keyOf(newest), answer };
}

/** Everything, or what is new to a conversation that was told of an earlier turn. */
export function buildPrompt(ctx: ThreadContext, systemPrompt: string, before: PromptState | null): string {
  const fresh = before === null ? null : stepsSince(ctx, before);
  if (before === null || fresh === null) return textOf(ctx, systemPrompt, [ctx.start, ...stepsAfterStart(ctx)]);
  return textOf(ctx, before.systemPrompt === systemPrompt ? '' : systemPrompt, fresh);
}

/** The steps the tool has not seen. null: the view has been cut or rewritten since, so that nobody can tell. */
function stepsSince(ctx: ThreadContext, before: PromptState): readonly Step[] | null {
  const known = before.newest === null ? -1 : ctx.steps.findLastIndex((step) => keyOf(step) === before.newest);
  if (known === -1 && before.newest !== null) return null;
  const since = known === -1 ? stepsAfterStart(ctx) : ctx.steps.slice(known + 1);
  const own = since.findIndex(({ role, content }) => role === 'assistant' && content.trim() === before.answer.trim());
  return since.filter((_, index) => index !== own);
}

/** Views may show the opening frame as the first step; it is said once. */
function stepsAfterStart(ctx: ThreadContext): readonly Step[] {
  const [first] = ctx.steps;
  return first !== undefined && keyOf(first) === keyOf(ctx.start) ? ctx.steps.slice(1) : ctx.steps;
}

function keyOf(step: Step): string {
  return JSON.stringify([step.role, step.timestamp, step.content]);
}

function textOf({ start }: ThreadContext, systemPrompt: string, steps: readonly Step[]): string {
  const tag = tagFor(steps);
  const messages = steps.map(
    (step) =>
      `<${tag} from="${attributeOf(speakerOf(step))}" at="${attributeOf(step.timestamp)}">\n${step.content}\n</${tag}>`,
  );
  // Who it is there: its own messages are among the others, by name.
  const own = typeof start.meta.name === 'string' ? attributeOf(start.meta.name) : '';
  const parts = [
    systemPrompt.trim(),
    ...messages,
    `It is your turn${own === '' ? '' : `, ${own}`}. Answer with the text of your next message, nothing else.`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** By name where that is known: of the opening frame `meta.name` is the agent itself. */
function speakerOf({ role, meta }: Step): string {
  const name = meta.from ?? (meta.participants === undefined ? meta.name : undefined);
  return typeof name === 'string' && attributeOf(name) !== '' ? name : role;
}

/** A tag that nobody's message contains, so that none can end early or pretend to be somebody else's. */
function tagFor(steps: readonly Step[]): string {
  const isTaken = (tag: string): boolean =>
    steps.some(({ content }) => content.includes(`<${tag} `) || content.includes(`</${tag}>`));
  let number = 1;
  let tag = 'message';
  while (isTaken(tag)) {
    number += 1;
    tag = `message-${number}`;
  }
  return tag;
}

function attributeOf(text: string): string {
  return text.replace(/[\s"<>&]+/g, ' ').trim();
}
