import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { type WorkflowState, workflow } from 'parley-hub/adapters/workflow';
import { finish, handoff, type JsonObject, ProtocolError, type SessionAdapter } from 'parley-hub/core';
import { createdMetadata, History, idOf } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { completeAdapter } from '../../../src/core/ports/adapter.ts';
import { foldEnvelope, type SessionState } from '../../../src/core/state/state.ts';
import { itDeep, runs } from '../../support/size.ts';
import { anyGraph, KEYS, NAMES, value } from '../graph/any-graph.ts';
import { type Said, WorkflowModel } from './workflow-model.ts';
import { type Adapter, mutants } from './workflow-mutants.ts';

type Step =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'packet'; readonly tool: string | null; readonly change: Change }
  | { readonly kind: 'handoff'; readonly to: string; readonly change: Change }
  | { readonly kind: 'finish'; readonly reason: string | null }
  | { readonly kind: 'context'; readonly by: number; readonly change: Change }
  | { readonly kind: 'note'; readonly by: number }
  | { readonly kind: 'member'; readonly name: string; readonly removed: boolean };
interface Change {
  readonly set: JsonObject;
  readonly delete: readonly string[];
}

const key = fc.constantFrom(...KEYS);
const name = fc.constantFrom(...NAMES);
const change = fc.record({
  set: fc.dictionary(key, value, { maxKeys: 2, noNullPrototype: true }),
  delete: fc.array(key, { maxLength: 1 }),
});
const by = fc.nat({ max: 2 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.constant('text' as const), text: fc.constantFrom('yes', 'Urgent!', 'done', '') }),
      weight: 5,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('packet' as const),
        tool: fc.constantFrom(null, 'search', 'ask'),
        change,
      }),
      weight: 4,
    },
    { arbitrary: fc.record({ kind: fc.constant('handoff' as const), to: name, change }), weight: 2 },
    {
      arbitrary: fc.record({ kind: fc.constant('finish' as const), reason: fc.constantFrom(null, 'early') }),
      weight: 1,
    },
    { arbitrary: fc.record({ kind: fc.constant('context' as const), by, change }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('note' as const), by }), weight: 1 },
    {
      arbitrary: fc.record({
        kind: fc.constant('member' as const),
        name,
        removed: fc.constantFrom(false, false, false, true),
      }),
      weight: 3,
    },
  ),
  { maxLength: 24 },
);

function resolved(graph: TransitionGraph, context_vars: JsonObject): JsonObject {
  const metadata = createdMetadata(workflow, { knobs: { graph, context_vars } });
  const knobs = workflow.resolveKnobs?.(metadata) ?? {};
  workflow.validateCreate({ ...metadata, knobs });
  return knobs;
}

/** Runs a session in the adapter and in the model; throws where they differ. */
class SideBySide {
  readonly session: History<WorkflowState>;
  readonly model: WorkflowModel;
  readonly graph: TransitionGraph;
  private readonly adapter: SessionAdapter<WorkflowState>;

  constructor(adapter: Adapter, graph: TransitionGraph, vars: JsonObject) {
    const knobs = resolved(graph, vars);
    this.adapter = adapter;
    // Resolved knobs contain a valid graph.
    this.graph = knobs.graph as unknown as TransitionGraph;
    this.session = new History(adapter, { knobs });
    this.model = new WorkflowModel(this.graph, NAMES.map(idOf), vars);
  }

  /** The adapter or the hub (for too few participants) has closed the session. */
  get isOver(): boolean {
    const { participants } = this.session.metadata;
    const there = participants.filter(({ status }) => status === 'active' || status === 'hidden');
    return this.model.state.closed !== null || there.length < 2 || this.model.state.active.length === 0;
  }

  take(step: Step): void {
    const { expected, active } = this.model.state;
    switch (step.kind) {
      case 'member':
        return this.regroup(step);
      case 'context':
      case 'note': {
        const sender = active[step.by % active.length] ?? '';
        if (step.kind === 'context') this.model.setContext(step.change);
        return void this.say(
          sender,
          step.kind === 'note' ? note : { event_type: 'context.set', event_data: { ...step.change } },
        );
      }
      default: {
        const sender = expected ?? '';
        const said = this.drafted(step);
        // A handoff to an inactive participant is rejected without effect.
        if (step.kind === 'handoff' && !active.includes(idOf(step.to))) return this.refused(sender, said.draft);
        this.model.speak({ sender, ...said.said });
        this.say(sender, said.draft);
      }
    }
  }

  check(): void {
    const { expected, closed, turns, vars, active } = this.model.state;
    const { state, metadata, turn } = this.session;
    assert.deepEqual(
      {
        expected: state.expected_next_speaker,
        turn: turn?.agent_id ?? null,
        closed: state.pending_close_reason,
        turns: state.turn_count,
        vars: state.context_vars,
        active: state.active,
      },
      { expected, turn: expected, closed, turns, vars, active },
    );
    if (closed !== null) return;
    const mayTalk = metadata.participants.filter(
      ({ agent_id, status }) => status === 'active' && this.maySay(agent_id),
    );
    assert.deepEqual(
      mayTalk.map(({ agent_id }) => agent_id),
      expected === null ? [] : [expected],
      'one may speak',
    );
  }

  /** Folds the log again, from its start and from JSON at every seq. */
  checkReplay(): void {
    const adapter = completeAdapter(this.adapter);
    let again: SessionState | null = null;
    for (const envelope of this.session.log) {
      again = foldEnvelope(again, JSON.parse(JSON.stringify(envelope)), { adapter, epoch: 1 });
      again = { ...again, adapter_state: JSON.parse(JSON.stringify(again.adapter_state)) };
    }
    assert.deepEqual(again?.adapter_state, this.session.state);
  }

  private maySay(id: string): boolean {
    try {
      const draft = { ...draftFrom(id), event_type: 'msg.text', event_data: { text: 'hm' } };
      this.adapter.validateSend(this.session.metadata, draft, this.session.state);
      return true;
    } catch (thrown) {
      assert.ok(thrown instanceof ProtocolError);
      return false;
    }
  }

  private say(id: string, said: Parameters<History['say']>[1]): void {
    this.session.say(id.slice(idOf('').length), said);
  }

  private refused(id: string, said: Parameters<History['say']>[1]): void {
    assert.throws(() => this.say(id, said), ProtocolError);
  }

  private regroup({ name, removed }: Extract<Step, { kind: 'member' }>): void {
    const agent_id = idOf(name);
    const status = this.session.metadata.participants.find((one) => one.agent_id === agent_id)?.status;
    if (status === 'removed') return;
    const change = removed ? 'removed' : status === 'active' ? 'hidden' : 'returned';
    this.session.hub(`session.participant.${change}`, { agent_id });
    const { active } = this.model.state;
    this.model.regroup(NAMES.map(idOf).filter((id) => (id === agent_id ? change === 'returned' : active.includes(id))));
  }

  private drafted(step: Exclude<Step, { kind: 'member' | 'context' | 'note' }>): {
    said: Omit<Said, 'sender'>;
    draft: Parameters<History['say']>[1];
  } {
    switch (step.kind) {
      case 'text':
        return { said: { text: step.text }, draft: step.text };
      case 'finish': {
        const draft = finish(step.reason === null ? {} : { reason: step.reason });
        return { said: { text: '', finish: step.reason ?? 'finished' }, draft };
      }
      case 'handoff':
        // The model knows ids only.
        return {
          said: { text: '', handoff: idOf(step.to), ...step.change },
          draft: handoff(step.to, { contextUpdates: step.change }),
        };
      case 'packet': {
        const routing = step.tool === null ? {} : { routing: { tool: step.tool } };
        const event_data = { body: 'yes', ...routing, context_updates: { ...step.change } };
        const tool = step.tool === null ? {} : { tool: step.tool };
        return { said: { text: 'yes', ...tool, ...step.change }, draft: { event_type: 'msg.packet', event_data } };
      }
    }
  }
}

const note = { event_type: 'x.note', event_data: { text: 'fyi' } };

function draftFrom(sender_id: string) {
  return {
    session_id: '5e55'.padEnd(32, '0'),
    sender_id,
    audience: null,
    causation_id: null,
    task_id: null,
    traceparent: null,
    priority: 'normal',
    idempotency_key: null,
    ttl_seconds: null,
  } as const;
}

/** The model does not support random targets. */
const withoutChance = (graph: TransitionGraph): TransitionGraph => {
  const sure = { name: 'round_robin', args: {} };
  return {
    ...graph,
    transitions: graph.transitions.map((one) => (one.then.name === 'random' ? { ...one, then: sure } : one)),
    default_target: graph.default_target?.name === 'random' ? sure : graph.default_target,
  };
};

function run(adapter: Adapter, graph: TransitionGraph, vars: JsonObject, taken: readonly Step[]): SideBySide {
  const both = new SideBySide(adapter, graph, vars);
  both.check();
  for (const step of taken) {
    if (both.isOver) break;
    both.take(step);
    if (!both.isOver || both.model.state.closed !== null) both.check();
  }
  both.checkReplay();
  return both;
}

const vars = fc.dictionary(key, value, { maxKeys: 2, noNullPrototype: true });

describe('any workflow', () => {
  it('[WF2, WF3, WF4, WF5, WF6, WF7, WF8, TG3, TG4, L3] matches the model, and its log replays to the same state', () => {
    fc.assert(
      fc.property(
        anyGraph.map(withoutChance),
        vars,
        steps,
        (graph, given, taken) => void run(workflow, graph, given, taken),
      ),
      { numRuns: runs(3000) },
    );
  });

  it('[WF9] always has an active holder that can post, or closes with a reason', () => {
    fc.assert(
      fc.property(anyGraph, vars, fc.array(fc.nat({ max: 9 }), { maxLength: 30 }), (graph, given, choices) => {
        const session = new History(workflow, { knobs: resolved(graph, given) });
        for (const choice of choices) {
          const active = session.metadata.participants.filter(({ status }) => status === 'active');
          if (session.state.pending_close_reason !== null || active.length === 0) return;
          const { turn } = session;
          expect(active.map(({ agent_id }) => agent_id)).toContain(turn?.agent_id);
          const speaker = turn?.agent_id.slice(idOf('').length) ?? '';
          const someone = session.metadata.participants[choice % 3];
          if (choice < 7 || someone === undefined) session.say(speaker, choice % 2 === 0 ? 'yes' : 'done');
          else
            session.hub(`session.participant.${someone.status === 'active' ? 'hidden' : 'returned'}`, {
              agent_id: someone.agent_id,
            });
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  it('[WF8] ends at max_turns at the latest', () => {
    fc.assert(
      fc.property(anyGraph, fc.integer({ min: 1, max: 9 }), (graph, max_turns) => {
        const session = new History(workflow, { knobs: resolved({ ...graph, max_turns }, {}) });
        let last = {};
        for (let turn = 1; turn <= max_turns && session.turn !== null; turn++) {
          last = session.say(session.turn.agent_id.slice(idOf('').length), 'hm');
        }
        expect(last).toMatchObject({ next_state: 'CLOSING', close_reason: expect.stringMatching(/./) });
      }),
      { numRuns: runs(1000) },
    );
  });

  itDeep.each(Object.entries(mutants))('[WF2, WF6, WF7] finds a workflow that would %s', (_fault, mutant) => {
    const finds = () =>
      fc.assert(
        fc.property(
          anyGraph.map(withoutChance),
          vars,
          steps,
          (graph, given, taken) => void run(mutant, graph, given, taken),
        ),
        { numRuns: 3000, seed: 1 },
      );
    expect(finds).toThrow('Property failed');
  });
});
