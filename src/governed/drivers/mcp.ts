/** Runs a turn as one MCP tool call: sends bundle paths and texts, receives the turn result. */

import { join } from 'node:path';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { isAgentError } from '../../participants/agent/agent-error.ts';
import { saveAttemptLog } from './attempt/attempt-files.ts';
import type { DispatchBundle, DriverContext, DriverWaitResult, RuntimeDriver } from './attempt/driver.ts';
import {
  CANCELLED,
  classOfStatus,
  DriverError,
  type DriverFailure,
  failureOf,
  reasonOf,
  refuse,
} from './attempt/failure.ts';
import { settingsOf } from './attempt/settings.ts';
import {
  builtInDriver,
  completed,
  type Deadline,
  deadlineOf,
  failed,
  failedWith,
  findTurnResult,
} from './attempt/wait-result.ts';
import { type Link, MCP, type McpSettings, openTransport } from './mcp-connect.ts';
import type { Sdk } from './mcp-program.ts';

export function mcpDriver(context: DriverContext): RuntimeDriver {
  const settings = settingsOf(MCP, context);
  return builtInDriver({
    name: 'mcp',
    timeoutMs: settings.timeout_ms,
    dispatch: async (bundle) => bundle,
    async wait(bundle, timeoutMs, signal) {
      const sdk = await import('@modelcontextprotocol/client');
      const link = await openTransport(sdk, settings, bundle, context);
      const totalMs = Math.max(settings.total_timeout_ms, timeoutMs);
      const deadline = deadlineOf(context.clock, totalMs, signal);
      try {
        return await callTool({ sdk, link, settings, bundle, deadline, timeoutMs });
      } finally {
        deadline.close();
        await saveAttemptLog(bundle, 'stderr.log', link.stderr(), link.secrets);
      }
    },
  });
}

interface Call {
  readonly sdk: Sdk;
  readonly link: Link;
  readonly settings: McpSettings;
  readonly bundle: DispatchBundle;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
}

async function callTool(call: Call): Promise<DriverWaitResult> {
  const { sdk, link, settings, deadline } = call;
  const client = new sdk.Client({ name: 'parley', version: '1' });
  try {
    const answer = await deadline.race(answerOf(client, call));
    return resultIn(answer, settings.tool_name, link.secrets);
  } catch (thrown) {
    if (thrown instanceof DriverError) return failedWith(thrown.failure);
    return failedWith(mcpFailure(thrown, call));
  } finally {
    await client.close().catch(() => {});
    await link.transport.close().catch(() => {});
  }
}

async function answerOf(client: Client, call: Call): Promise<CallToolResult> {
  const { link, settings, bundle, deadline, timeoutMs } = call;
  const { tool_name: name } = settings;
  const options = { timeout: timeoutMs, signal: deadline.signal };
  await client.connect(link.transport, options);
  const { tools } = await client.listTools(undefined, options);
  const names = tools.map((tool) => tool.name);
  if (!names.includes(name)) {
    const problem = `the server has no tool ${name}; it has ${names.join(', ') || 'none'}`;
    refuse('tool_not_found', problem, { secrets: link.secrets });
  }
  return client.callTool(
    { name, arguments: argumentsOf(bundle) },
    { ...options, resetTimeoutOnProgress: true, onprogress: () => {} },
  );
}

function argumentsOf(bundle: DispatchBundle): Record<string, unknown> {
  const { root, run_id, turn_id, role, phase, runtime_id, dispatch_dir, staging_path, prompt, context } = bundle;
  const folder = join(root, dispatch_dir);
  return {
    ...{ run_id, turn_id, role, phase, runtime_id, project_root: root, dispatch_dir: folder },
    assignment_path: join(folder, 'ASSIGNMENT.json'),
    prompt_path: join(folder, 'PROMPT.md'),
    context_path: join(folder, 'CONTEXT.md'),
    staging_path: join(root, staging_path),
    prompt,
    context,
  };
}

function resultIn(answer: CallToolResult, tool: string, secrets: readonly string[]): DriverWaitResult {
  const text = answer.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (answer.isError === true) return failed('tool_failed', `${tool}: ${text}`, { secrets });
  const result = findTurnResult(answer.structuredContent) ?? findTurnResult(text);
  if (result !== null) return completed(result);
  const problem = `${tool}: expected a turn result with a schema_version as structuredContent or JSON text, got ${text}`;
  return failed('turn_result_extraction_failure', problem, { secrets });
}

function mcpFailure(thrown: unknown, { deadline, timeoutMs, link }: Call): DriverFailure {
  if (deadline.endedBy === 'caller') return failureOf('aborted', CANCELLED);
  if (deadline.endedBy === 'timeout') return failureOf('timeout', 'no result within total_timeout_ms');
  const about = { secrets: link.secrets };
  if (isAgentError(thrown)) return failureOf('spawn_failed', thrown.message, about);
  const detail = reasonOf(thrown);
  const { code, status } = codesOf(thrown);
  if (code === 'REQUEST_TIMEOUT') {
    return failureOf('timeout', `no result and no progress within ${timeoutMs} ms: ${detail}`, about);
  }
  if (status !== null) return failureOf(classOfStatus(status), detail, { ...about, http_status: status });
  if (['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED'].includes(String(code)) || isFetchFailure(thrown)) {
    return failureOf('network_failure', `the connection to the server ended: ${detail}`, about);
  }
  return failureOf('protocol_error', detail, about);
}

/** Recognises errors by shape, because the package that defines them is loaded on demand. */
function codesOf(thrown: unknown): { readonly code: unknown; readonly status: number | null } {
  if (typeof thrown !== 'object' || thrown === null) return { code: null, status: null };
  const code = 'code' in thrown ? thrown.code : null;
  const data = 'data' in thrown && typeof thrown.data === 'object' ? thrown.data : null;
  const status = data !== null && 'status' in data && typeof data.status === 'number' ? data.status : null;
  return { code, status };
}

function isFetchFailure(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.message === 'fetch failed';
}
