/** The tool `delegate`: another agent answers a question; this turn's budget pays for it. */

import type { JsonObject } from '../../core/lib/json.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { DelegateAnswer } from '../../core/records/work/delegation.ts';
import { DELEGATE } from '../budget/turn-meter.ts';
import { delegateTarget, toDelegationResult } from './lib/hub-rows.ts';
import { type HubTool, keyFor, parameters, shown, type ToolContext, textParameter } from './lib/hub-tool.ts';

const ANSWER_CHARS = 12_000;

export const delegate: HubTool = {
  name: 'delegate',
  description:
    'Asks another agent a question in a separate session and waits for the answer; the turn stays yours. Call it when you need help before you can answer. ' +
    'Returns `status` answered with the `answer`, or failed with the `reason`. A repeated question is not asked twice.',
  parameters: parameters(
    {
      to: textParameter(80, 'A name, or a capability such as "capability:review".'),
      question: textParameter(200_000, 'Everything needed to answer: they do not see this session.'),
      timeout: {
        type: 'string',
        pattern: '^\\d{1,6}(s|m|h)$',
        description: 'Time limit, such as "90s" (default: 10m).',
      },
      budget_usd: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'Maximum cost in dollars, from your budget.',
      },
      budget_tokens: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000_000_000,
        description: 'Maximum tokens, from your budget.',
      },
    },
    'to',
    'question',
  ),
  async run(args, scene, signal) {
    const answer = await paid(args, scene, (budget) => ask(args, scene, budget, signal));
    const { outcome, child_session_id: session, spent } = answer;
    return shown({ ...toDelegationResult(answer, ANSWER_CHARS), outcome, session, spent });
  },
};

type Budget = { readonly usd?: number; readonly tokens?: number };

/** Reserves the budget, runs the delegation, then counts what it spent. */
async function paid(
  args: JsonObject,
  scene: ToolContext,
  run: (budget: Budget) => Promise<DelegateAnswer>,
): Promise<DelegateAnswer> {
  const share = scene.budget?.share() ?? {};
  const usd = typeof args.budget_usd === 'number' ? args.budget_usd : share.usd;
  const tokens = typeof args.budget_tokens === 'number' ? args.budget_tokens : share.tokens;
  const budget = { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
  const reserved = { tokens: tokens ?? 0, usd: usd ?? 0 };
  const held = scene.budget?.hold({ tool: DELEGATE, ...reserved, made: 'the reserved budget' });
  let used: { readonly tokens: number; readonly usd: number } = { tokens: 0, usd: 0 };
  try {
    const answer = await run(budget);
    // The cost of an interrupted delegation is unknown: count what was reserved.
    if (await isNew(scene, answer)) used = answer.spent ?? reserved;
    return answer;
  } finally {
    held?.settle(used);
  }
}

/** Delegations a turn has paid for. */
const paidFor = new WeakMap<ToolContext, Set<string>>();

/** False if an earlier call or run already counted this delegation. */
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
