/** The tool `delegate`: another agent answers a question, and is paid from what this turn may spend. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { DelegateAnswer } from '../../core/records/work/delegation.ts';
import type { BudgetHold } from '../agent/agent-fn.ts';
import { DELEGATE } from '../budget/turn-meter.ts';
import { delegateTarget, toDelegationResult } from './lib/hub-rows.ts';
import { type HubTool, keyFor, parameters, shown, type ToolContext } from './lib/hub-tool.ts';

const ANSWER_CHARS = 12_000;

export const delegate: HubTool = {
  name: 'delegate',
  description:
    'Has another agent answer a question in a session of its own, and waits for the answer; your turn stays yours. Call it when you need somebody’s help before you can answer. ' +
    'Gives back `status` answered with the `answer`, or failed with the `reason`. The same question again is not asked twice.',
  parameters: parameters(
    {
      to: {
        type: 'string',
        minLength: 1,
        maxLength: 80,
        description: 'A name; or "capability:review" for whoever offers that.',
      },
      question: {
        type: 'string',
        minLength: 1,
        maxLength: 200_000,
        description: 'All that is needed to answer: they do not see this session.',
      },
      timeout: {
        type: 'string',
        pattern: '^\\d{1,6}(s|m|h)$',
        description: 'How long they may take, such as "90s"; "10m" unless given.',
      },
      budget_usd: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'What it may cost in dollars, out of your own budget.',
      },
      budget_tokens: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000_000_000,
        description: 'What it may use in tokens, out of your own budget.',
      },
    },
    'to',
    'question',
  ),
  async run(args, scene, signal) {
    const answer = await paid(args, scene, (budget) => ask(args, scene, budget, signal));
    const { outcome, child_session_id } = answer;
    return shown({
      ...toDelegationResult(answer, ANSWER_CHARS),
      outcome,
      session: child_session_id,
      spent: answer.spent,
    });
  },
};

type Budget = { readonly usd?: number; readonly tokens?: number };

/** What it may spend is set aside, and then what it spent is counted. */
async function paid(
  args: JsonObject,
  scene: ToolContext,
  run: (budget: Budget) => Promise<DelegateAnswer>,
): Promise<DelegateAnswer> {
  const { budget: purse } = scene;
  const share = purse?.share() ?? {};
  const usd = typeof args.budget_usd === 'number' ? args.budget_usd : share.usd;
  const tokens = typeof args.budget_tokens === 'number' ? args.budget_tokens : share.tokens;
  const budget = { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
  const held = purse?.hold({ tool: DELEGATE, tokens: tokens ?? 0, usd: usd ?? 0, made: 'what it sets aside' });
  return settled(scene, held, budget, run(budget));
}

/** Of what was cut off nobody knows what it cost: what was set aside counts. What was refused cost nothing. */
async function settled(
  scene: ToolContext,
  held: BudgetHold | undefined,
  { usd = 0, tokens = 0 }: Budget,
  asked: Promise<DelegateAnswer>,
): Promise<DelegateAnswer> {
  let used: { readonly tokens: number; readonly usd: number } = { tokens: 0, usd: 0 };
  try {
    const answer = await asked;
    if (await isNew(scene, answer)) used = answer.spent ?? { tokens, usd };
    return answer;
  } finally {
    held?.settle(used);
  }
}

/** The delegations that a turn has paid for. */
const paidFor = new WeakMap<ToolContext, Set<string>>();

/** What an earlier call, or an earlier run, delegated was counted then if it was settled before this turn was taken. */
async function isNew(scene: ToolContext, { delegation_id, duplicate }: DelegateAnswer): Promise<boolean> {
  const paidHere = paidFor.get(scene) ?? new Set();
  paidFor.set(scene, paidHere);
  if (paidHere.has(delegation_id)) return false;
  paidHere.add(delegation_id);
  if (duplicate !== true || scene.budget === null) return true;
  for await (const { event_type, event_data } of scene.session.log({ fromSeq: scene.info.session.head_seq + 1 })) {
    if (event_type === 'delegation.settled' && event_data.delegation_id === delegation_id) return true;
  }
  return false;
}

function ask(
  { to, question, timeout, budget_usd = null, budget_tokens = null }: Partial<JsonObject>,
  scene: ToolContext,
  budget: Budget,
  signal: OwnSignal,
): Promise<DelegateAnswer> {
  const lasts = typeof timeout === 'string' ? timeout : '10m';
  return scene.session.delegate(delegateTarget(String(to)), String(question), {
    timeout: lasts,
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    key: keyFor(scene, 'delegate', String(to), String(question), lasts, budget_usd, budget_tokens),
    signal,
  });
}
