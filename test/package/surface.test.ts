// Public exports, by name. This list fails on purpose: a change here is a change for users, and belongs in CHANGELOG.md.

import { OPERATIONS, WIRE_CODES } from 'parley-hub/core';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { read, sources } from './repository.ts';

/** Every module a user can import, and its sorted run-time exports (no types). */
const surface: Readonly<Record<string, string>> = {
  'parley-hub': `
    AgentClient HumanClient MemoryStore connect connectHuman createHub defineConfig nextRun openStore restoreBackup
    systemClock systemIds`,
  'parley-hub/core': `
    DEFAULT_LIMITS GRANTS HUB_EVENT_TYPES HUB_ID HubError NOTHING_SPENT OPERATIONS ProtocolError REGISTRY_LOG
    WIRE_CODES WireError ZERO_SPEND actingAgent addSpend callTool canonicalJson completeAdapter digestText doerOf
    finish foldHead handoff isContent isTerminal jsonBytes linkPair nameOf participantOf plusSpent renderText
    ruleArbiter spendFromData spendFromEnvelope spentIn spentWith`,
  'parley-hub/client': 'AgentClient HumanClient connect connectHuman',
  'parley-hub/governed': `
    RUNNER_INTERFACE_VERSION RUNNER_STEPS abandonRun acceptTurn acquireLock approveCompletionGate approvePhaseGate
    assignTurn bundleFolder checkSeal cleanUpTurn createAdapter createRepoRuns createRunner createRuntimeDriver
    decideHook dispatchAnswer dispatchByAdapter dispatchByDriver emitNotifications engine escalate evidencePath
    filesOf finaliseManifest getActiveTurn getActiveTurnCount getActiveTurns getMaxConcurrentTurns
    getTurnStagingResultPath hooksFaults initRun inspectManifest loadContext loadState markRunBlocked mayGoOut
    nextRole openCoordinator pathFaults projectFiles reactivateRun readStagedResult refreshTurnBaselineSnapshot
    reissueTurn rejectTurn releaseLock runAdapter runHooks runLoop runTurnWithDriver runsByRunner runtimeFolder
    sealDispatchBundle serveRun stageResult stagingFolder takeBackRun transitionActiveTurnLifecycle validateHooks
    validatePaths verifyManifest waitForStagedResult withdrawRun writeDispatchBundle writeDispatchIndex
    writeFileAtomic writeRuntimeFile writeWhole`,
  'parley-hub/governed/engine': `
    BARRIER_TYPES EMPTY_STATE EVENT_TYPES MOVES RUN_STATUSES TURN_STATUSES acceptTurn allowedNextRoles
    applyCompletionVerdict applyPhaseVerdict approveCompletion approveCoordinatorGate approveTransition
    assignEventIds assignTurn authorityOf beginSuperRun blockByProjection blockRun blockSuperRun booksOf
    buildAcceptanceIndex canonicalPath checkConfig checkCoordinatorConfig checkDecision completeConfig
    coordinatorContext coordinatorContextText coordinatorPhases decisionAuthority decisionIds describeReason
    digestOf dispatchEntry drainRequests escalateByOperator escalateRun evaluateCoordinatorCompletion
    evaluateCoordinatorTransition evaluatePhaseExit evaluateRunCompletion eventFaults eventOf exitGate finalPhase
    firstPhase getActiveTurn getActiveTurnCount getActiveTurns getMaxConcurrentTurns getTurnStagingResultPath
    initialiseRun isProductPath isReserved nextCoordinatorStep nextFreeId nextPhase orderFaults ownerByPath
    ownerByText phasesOf progressTurn projectAcceptance rebaseTurn refusedDecision reissueTurn rejectTurn
    repoDecisions requestCoordinatorGate resolveBlocked resolveSuperRun resyncRepoRuns runtimeOf runtimeType
    sentenceOf transitionState validateTurnResult withIds withdrawCoordinatorGate`,
  'parley-hub/governed/session': `
    APPROVALS GOVERNED_TYPES KNOBS_SCHEMA MAX_EVIDENCE_TEXT NEW_SESSION addedBy awaitedOf booksIn checkRules
    displayState holderOf judgeSend outcomeOf parseResultText readRun recordsFrom renderLine resolvedKnobs resultIn
    rulesOf shownState toAcceptanceIndex turnInputOf`,
  'parley-hub/node': `
    AgentClient HumanClient MemoryStore connect connectHuman createHub defineConfig nextRun openStore restoreBackup
    systemClock systemIds`,
  'parley-hub/participants': `
    AGENT_ERROR_KINDS AgentError EXTRACT_STRATEGIES ExtractError HUB_TOOL_NAMES KNOWN_PRICES aiderAdapter
    assistantMessage claudeAdapter codexAdapter costOf createAiderAdapter createAnthropicAdapter
    createAnthropicClient createChatClient createClaudeAdapter createCliAdapter createCodexAdapter
    createCursorAdapter createGeminiAdapter createGooseAdapter createHermesAdapter createLlmAdapter
    createManualAdapter createOpencodeAdapter createResponsesAdapter createResponsesClient createRole
    createScriptAdapter cursorAdapter geminiAdapter gooseAdapter hermesAdapter isAgentError isExtractError joinHub
    mergeExtract opencodeAdapter priceWarning readPrices refusesForcedTools runProgram runningPrograms withPrices
    withinBudget`,
  'parley-hub/testing': `
    FaultyStore History Peer SimClock World adapterChecks conditionChecks createdMetadata describeAdapter
    describeCondition describeEvaluator describeHandler describeTarget describeView draftOf evaluatorChecks
    handlerChecks idOf recordGolden seededIds seededRandom targetChecks viewChecks`,
  'parley-hub/adapters/consulting': 'consulting',
  'parley-hub/adapters/conversation': 'conversation',
  'parley-hub/adapters/discussion': 'discussion',
  'parley-hub/adapters/governed': 'governed',
  'parley-hub/adapters/transition-graph': `
    CONDITIONS TARGETS checkGraph graphToMermaid graphWarnings parseGraph roundRobin sequence`,
  'parley-hub/adapters/workflow': 'workflow',
  'parley-hub/views/full-transcript': 'fullTranscript',
  'parley-hub/views/lines': 'messageOf',
  'parley-hub/views/refs': 'fullTranscript named sinceMyLastTurn tokenBudget windowedSummary',
  'parley-hub/views/since-my-last-turn': 'sinceMyLastTurn',
  'parley-hub/views/token-budget': 'tokenBudget',
  'parley-hub/views/windowed-summary': 'windowedSummary',
  'parley-hub/expectations/acks-within': 'acksWithin',
  'parley-hub/expectations/budget-within': 'budgetWithin',
  'parley-hub/expectations/built-in': 'EVALUATORS HANDLERS',
  'parley-hub/expectations/handlers': 'audit autoClose hide notifySession remove warn',
  'parley-hub/expectations/max-silence': 'maxSilence',
  'parley-hub/expectations/max-turns': 'maxTurns',
  'parley-hub/expectations/no-progress': 'noProgress',
  'parley-hub/expectations/reply-within': 'replyWithin',
  'parley-hub/expectations/turn-within': 'turnWithin',
  'parley-hub/expectations/entries': 'acksWithin budgetWithin maxSilence maxTurns noProgress replyWithin turnWithin',
};

it('[PK4] keeps the exports map', () => {
  const own = (source: string) => ({
    'parley-source': `./${source}.ts`,
    types: `./dist/${source}.d.ts`,
    default: `./dist/${source}.js`,
  });
  expect(manifest.exports).toEqual({
    '.': own('src/index'),
    './core': own('src/core/index'),
    './client': {
      browser: { types: './dist/src/client/web.d.ts', default: './dist/src/client/web.js' },
      ...own('src/client/node'),
    },
    './governed': own('src/governed/index'),
    './governed/engine': own('src/governed/engine/index'),
    './governed/session': own('src/governed/session/index'),
    './node': own('src/index'),
    './participants': own('src/participants/node'),
    './testing': own('src/testing/index'),
    './adapters/*': own('adapters/*'),
    './views/*': own('views/*'),
    './expectations/*': own('expectations/*'),
    './package.json': './package.json',
  });
  // The first matching condition wins: sources before types before what runs.
  for (const target of Object.values(manifest.exports)) {
    if (typeof target !== 'object') continue;
    expect(Object.keys(target).filter((name) => name !== 'browser')).toEqual(['parley-source', 'types', 'default']);
  }
  expect(manifest.bin).toEqual({ parley: './dist/src/cli/main.js' });
});

it('[PK4] the list names every module the exports map offers', () => {
  const offered = Object.keys(manifest.exports).flatMap((subpath) => {
    if (subpath === './package.json') return [];
    const [head = '', tail] = subpath.slice(2).split('*');
    if (tail === undefined) return [head ? `parley-hub/${head}` : 'parley-hub'];
    // Deeper folders are private parts of a module; the wildcard reaches them, but they are not promised.
    const modules = sources(head).filter((file) => !file.slice(head.length).includes('/'));
    return modules.map((file) => `parley-hub/${file.replace(/\.ts$/, '')}`);
  });
  expect(Object.keys(surface).sort()).toEqual(offered.sort());
});

it.each(Object.entries(surface))('[PK4] %s exports what the list says', async (specifier, expected) => {
  const module: object = await import(specifier);
  expect(Object.keys(module).sort()).toEqual(expected.trim().split(/\s+/));
});

it('[PK4] keeps the wire codes', () => {
  const codes = `bad_frame unsupported_version unauthenticated forbidden not_found conflict protocol_error
    not_your_turn session_closed invalid_create rate_limited inbox_full too_large duplicate timeout
    unavailable internal`;
  expect(Object.keys(WIRE_CODES)).toEqual(codes.split(/\s+/));
});

it('[PK4, OP1] keeps the operations, each with parameters, result, access, errors and help', () => {
  // `npm run docs` writes that table, so a new or removed operation shows in its diff.
  const documented = [
    ...read('docs/reference/operations.md').matchAll(/^\| `(\w+)` \| [a-z ]+ \| [^|]*\| [A-Z].*\. \|$/gm),
  ].map(([, name]) => name);
  expect(Object.keys(OPERATIONS)).toEqual(documented);
  for (const { help, errors, params, result } of Object.values(OPERATIONS)) {
    expect(help).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(WIRE_CODES)).toEqual(expect.arrayContaining([...errors]));
    expect(params.jsonSchema()).toMatchObject({ type: 'object' });
    // Closed: an answer has no members beside those in the table.
    expect(result.jsonSchema()).toMatchObject({ type: 'object', additionalProperties: false });
  }
});
