// What others can import, by name. This list goes red on purpose: a change here is a change for users, and
// belongs in CHANGELOG.md.

import { OPERATIONS, WIRE_CODES } from 'parley-hub/core';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { sources } from './repository.ts';

/** Every module a user can import, and the sorted names it exports at run time (types are not among them). */
const surface: Readonly<Record<string, readonly string[]>> = {
  'parley-hub': [
    'AgentClient',
    'HumanClient',
    'MemoryStore',
    'connect',
    'connectHuman',
    'createHub',
    'nextRun',
    'openStore',
    'restoreBackup',
    'systemClock',
    'systemIds',
  ],
  'parley-hub/core': [
    'DEFAULT_LIMITS',
    'GRANTS',
    'HUB_EVENT_TYPES',
    'HUB_ID',
    'HubError',
    'NOTHING_SPENT',
    'OPERATIONS',
    'ProtocolError',
    'REGISTRY_LOG',
    'WIRE_CODES',
    'WireError',
    'callTool',
    'canonicalJson',
    'completeAdapter',
    'digestText',
    'doerOf',
    'finish',
    'foldHead',
    'handoff',
    'isContent',
    'isTerminal',
    'jsonBytes',
    'linkPair',
    'nameOf',
    'participantOf',
    'plusSpent',
    'renderText',
    'ruleArbiter',
    'spentIn',
    'spentWith',
  ],
  'parley-hub/client': ['AgentClient', 'HumanClient', 'connect', 'connectHuman'],
  'parley-hub/governed/session': [
    'APPROVALS',
    'GOVERNED_TYPES',
    'KNOBS_SCHEMA',
    'MAX_EVIDENCE_TEXT',
    'NEW_SESSION',
    'addedBy',
    'booksIn',
    'checkRules',
    'holderOf',
    'judgeSend',
    'outcomeOf',
    'readRun',
    'renderLine',
    'resolvedKnobs',
    'resultIn',
    'rulesOf',
    'shownState',
    'turnInputOf',
  ],
  'parley-hub/node': [
    'AgentClient',
    'HumanClient',
    'MemoryStore',
    'connect',
    'connectHuman',
    'createHub',
    'nextRun',
    'openStore',
    'restoreBackup',
    'systemClock',
    'systemIds',
  ],
  'parley-hub/participants': [
    'AGENT_ERROR_KINDS',
    'AgentError',
    'KNOWN_PRICES',
    'aiderAdapter',
    'assistantMessage',
    'claudeAdapter',
    'codexAdapter',
    'costOf',
    'createAiderAdapter',
    'createAnthropicAdapter',
    'createAnthropicClient',
    'createChatClient',
    'createClaudeAdapter',
    'createCliAdapter',
    'createCodexAdapter',
    'createCursorAdapter',
    'createGeminiAdapter',
    'createGooseAdapter',
    'createHermesAdapter',
    'createLlmAdapter',
    'createManualAdapter',
    'createOpencodeAdapter',
    'createResponsesAdapter',
    'createResponsesClient',
    'createScriptAdapter',
    'cursorAdapter',
    'geminiAdapter',
    'gooseAdapter',
    'hermesAdapter',
    'isAgentError',
    'joinHub',
    'opencodeAdapter',
    'priceWarning',
    'readPrices',
    'refusesForcedTools',
    'runProgram',
    'runningPrograms',
    'withPrices',
  ],
  'parley-hub/testing': [
    'FaultyStore',
    'History',
    'Peer',
    'SimClock',
    'World',
    'adapterChecks',
    'conditionChecks',
    'createdMetadata',
    'describeAdapter',
    'describeCondition',
    'describeEvaluator',
    'describeHandler',
    'describeTarget',
    'describeView',
    'draftOf',
    'evaluatorChecks',
    'handlerChecks',
    'idOf',
    'recordGolden',
    'seededIds',
    'seededRandom',
    'targetChecks',
    'viewChecks',
  ],
  'parley-hub/adapters/consulting': ['consulting'],
  'parley-hub/adapters/conversation': ['conversation'],
  'parley-hub/adapters/discussion': ['discussion'],
  'parley-hub/adapters/governed': ['governed'],
  'parley-hub/adapters/transition-graph': [
    'CONDITIONS',
    'TARGETS',
    'checkGraph',
    'graphToMermaid',
    'graphWarnings',
    'parseGraph',
    'roundRobin',
    'sequence',
  ],
  'parley-hub/adapters/workflow': ['workflow'],
  'parley-hub/views/full-transcript': ['fullTranscript'],
  'parley-hub/views/lines': ['messageOf'],
  'parley-hub/views/refs': ['fullTranscript', 'named', 'sinceMyLastTurn', 'tokenBudget', 'windowedSummary'],
  'parley-hub/views/since-my-last-turn': ['sinceMyLastTurn'],
  'parley-hub/views/token-budget': ['tokenBudget'],
  'parley-hub/views/windowed-summary': ['windowedSummary'],
  'parley-hub/expectations/acks-within': ['acksWithin'],
  'parley-hub/expectations/budget-within': ['budgetWithin'],
  'parley-hub/expectations/built-in': ['EVALUATORS', 'HANDLERS'],
  'parley-hub/expectations/handlers': ['audit', 'autoClose', 'hide', 'notifySession', 'remove', 'warn'],
  'parley-hub/expectations/max-silence': ['maxSilence'],
  'parley-hub/expectations/max-turns': ['maxTurns'],
  'parley-hub/expectations/no-progress': ['noProgress'],
  'parley-hub/expectations/reply-within': ['replyWithin'],
  'parley-hub/expectations/turn-within': ['turnWithin'],
  'parley-hub/expectations/entries': [
    'acksWithin',
    'budgetWithin',
    'maxSilence',
    'maxTurns',
    'noProgress',
    'replyWithin',
    'turnWithin',
  ],
};

it('[PK4] the exports map is the one users rely on', () => {
  const own = (source: string) => ({
    'parley-source': `./${source}.ts`,
    types: `./dist/${source}.d.ts`,
    default: `./dist/${source}.js`,
  });
  expect(manifest.exports).toEqual({
    '.': own('src/node/index'),
    './core': own('src/core/index'),
    './client': {
      browser: { types: './dist/src/web/client.d.ts', default: './dist/src/web/client.js' },
      ...own('src/node/client'),
    },
    './governed': own('src/governed/index'),
    './governed/session': own('src/governed/session/index'),
    './node': own('src/node/index'),
    './participants': own('src/node/participants'),
    './testing': own('src/testing/index'),
    './adapters/*': own('adapters/*'),
    './views/*': own('views/*'),
    './expectations/*': own('expectations/*'),
    './package.json': './package.json',
  });
  // The first condition that matches wins: sources before types before what runs.
  for (const target of Object.values(manifest.exports)) {
    if (typeof target !== 'object') continue;
    expect(Object.keys(target).filter((name) => name !== 'browser')).toEqual(['parley-source', 'types', 'default']);
  }
  expect(manifest.bin).toEqual({ parley: './dist/src/node/cli.js' });
});

it('[PK4] the list names every module the exports map offers', () => {
  const offered = Object.keys(manifest.exports).flatMap((subpath) => {
    if (subpath === './package.json') return [];
    const [head = '', tail] = subpath.slice(2).split('*');
    if (tail === undefined) return [head ? `parley-hub/${head}` : 'parley-hub'];
    // Modules in deeper folders are a module's own parts; the wildcard reaches them, the promise does not.
    const modules = sources(head).filter((file) => !file.slice(head.length).includes('/'));
    return modules.map((file) => `parley-hub/${file.replace(/\.ts$/, '')}`);
  });
  expect(Object.keys(surface).sort()).toEqual(offered.sort());
});

it.each(Object.entries(surface))('[PK4] %s exports what the list says', async (specifier, expected) => {
  const module: object = await import(specifier);
  expect(Object.keys(module).sort()).toEqual(expected);
});

it('[PK4] the wire codes are the ones clients know', () => {
  expect(Object.keys(WIRE_CODES)).toEqual([
    'bad_frame',
    'unsupported_version',
    'unauthenticated',
    'forbidden',
    'not_found',
    'conflict',
    'protocol_error',
    'not_your_turn',
    'session_closed',
    'invalid_create',
    'rate_limited',
    'inbox_full',
    'too_large',
    'duplicate',
    'timeout',
    'unavailable',
    'internal',
  ]);
});

it('[PK4, OP1] the operations are the ones clients know, each with parameters, result, who may, errors and help', () => {
  expect(Object.keys(OPERATIONS)).toEqual([
    'register',
    'unregister',
    'list_agents',
    'find_agent',
    'get_resume',
    'set_resume',
    'get_skill',
    'set_skill',
    'get_rule',
    'set_rule',
    'create_session',
    'delegate',
    'ack_invite',
    'reject_invite',
    'add_participant',
    'leave_session',
    'return_to_session',
    'hide_participant',
    'remove_participant',
    'redact',
    'get_session',
    'list_sessions',
    'search_sessions',
    'close_session',
    'post',
    'can_send',
    'report_progress',
    'report_turn_failure',
    'start_task',
    'progress_task',
    'checkpoint_task',
    'resume_task',
    'complete_task',
    'fail_task',
    'cancel_task',
    'get_task',
    'list_tasks',
    'pending_turns',
    'read_log',
    'read_view',
    'subscribe',
    'unsubscribe',
    'create_schedule',
    'get_schedule',
    'list_schedules',
    'update_schedule',
    'delete_schedule',
    'create_token',
    'list_tokens',
    'revoke_token',
    'health',
  ]);
  for (const { help, errors, params, result } of Object.values(OPERATIONS)) {
    expect(help).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(WIRE_CODES)).toEqual(expect.arrayContaining([...errors]));
    expect(params.jsonSchema()).toMatchObject({ type: 'object' });
    // Closed: what is not in the table is not in an answer.
    expect(result.jsonSchema()).toMatchObject({ type: 'object', additionalProperties: false });
  }
});
