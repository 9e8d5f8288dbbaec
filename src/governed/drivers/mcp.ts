/** A tool of an MCP server does the turn: it is given where everything is and the texts themselves, and its answer is the result. */

import { join } from 'node:path';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import type { Unknowns } from '../engine/lib/unknown-record.ts';
import type { Adapter, AdapterContext, AdapterWaited, DispatchBundle } from './attempt/driver.ts';
import { type Deadline, deadlineOf } from '../../node/governed/adapters/deadline.ts';
import { AdapterRefusal, refuse } from './attempt/failure.ts';
import { keepLog } from './attempt/attempt-files.ts';
import { type Link, linkOf } from './mcp-connect.ts';
import { mcpFailure } from '../../node/governed/adapters/mcp-failure.ts';
import type { Sdk } from './mcp-program.ts';
import { MCP, type McpSettings } from '../../node/governed/adapters/mcp-settings.ts';
import { collected, resultIn } from '../../node/governed/adapters/result-in.ts';
import { settingsOf } from './attempt/settings.ts';
import { completed, failed, failedWith, notDispatched } from '../../node/governed/adapters/waited.ts';

export function mcpAdapter(context: AdapterContext): Adapter {
  const settings = settingsOf(MCP, context);
  const out = new Map<string, DispatchBundle>();
  return {
    name: 'mcp',
    timeoutMs: settings.timeout_ms,
    async dispatch(bundle) {
      out.set(bundle.turn_id, bundle);
    },
    async wait(turnId, timeoutMs, signal) {
      const bundle = out.get(turnId);
      if (bundle === undefined) return notDispatched(turnId);
      out.delete(turnId);
      // Loaded by who needs it.
      const sdk = await import('@modelcontextprotocol/client');
      const link = await linkOf(sdk, settings, bundle, context);
      const totalMs = Math.max(settings.total_timeout_ms, timeoutMs);
      const deadline = deadlineOf(context.clock, totalMs, signal);
      try {
        return await called({ sdk, link, settings, bundle, deadline, timeoutMs });
      } finally {
        deadline.close();
        await keepLog(bundle, 'stderr.log', link.stderr(), link.secrets);
      }
    },
    collect: async (_, data) => collected(data),
  };
}

interface Call {
  readonly sdk: Sdk;
  readonly link: Link;
  readonly settings: McpSettings;
  readonly bundle: DispatchBundle;
  readonly deadline: Deadline;
  /** Of silence. */
  readonly timeoutMs: number;
}

async function called(call: Call): Promise<AdapterWaited> {
  const { sdk, link, settings, deadline } = call;
  const client = new sdk.Client({ name: 'parley', version: '1' });
  try {
    const answer = await deadline.race(answerOf(client, call));
    return understood(answer, settings.tool_name, link.secrets);
  } catch (thrown) {
    if (thrown instanceof AdapterRefusal) return failedWith(thrown.failure);
    return failedWith(
      mcpFailure(thrown, { endedBy: deadline.endedBy, timeoutMs: call.timeoutMs, secrets: link.secrets }),
    );
  } finally {
    await ended(client, link);
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

function understood(answer: CallToolResult, tool: string, secrets: readonly string[]): AdapterWaited {
  const text = answer.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (answer.isError === true) return failed('tool_failed', `${tool}: ${text}`, { secrets });
  const result: Unknowns | null = resultIn(answer.structuredContent) ?? resultIn(text);
  if (result !== null) return completed(result);
  const problem = `${tool}: expected a turn result with a schema_version as structuredContent or JSON text, got ${text}`;
  return failed('turn_result_extraction_failure', problem, { secrets });
}

/** Whatever it thinks of it. */
async function ended(client: Client, { transport }: Link): Promise<void> {
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
}
