/** Asks a model to call one of these tools. One that refuses to be forced is asked without force, from then on at once. */

import { refusesForcedTools } from '../../models/forced-tools.ts';
import type { ModelClient, ModelReply, ModelRequest, ModelTool } from '../../models/client/model-client.ts';
import type { Extraction } from './extraction.ts';

const unforced = new WeakSet<ModelClient>();

export async function askWithTools(
  { complete }: Pick<Extraction<unknown>, 'complete'>,
  client: ModelClient,
  request: ModelRequest,
  tools: readonly [ModelTool, ...ModelTool[]],
): Promise<ModelReply> {
  const gently = (): Promise<ModelReply> => {
    const system = [request.system ?? '', mustCall(tools)].filter((part) => part !== '').join('\n\n');
    return complete(client, { ...request, system, tools, toolChoice: 'auto' });
  };
  if (unforced.has(client)) return gently();
  try {
    const toolChoice = tools.length === 1 ? { name: tools[0].name } : 'required';
    return await complete(client, { ...request, tools, toolChoice });
  } catch (thrown) {
    if (!refusesForcedTools(thrown)) throw thrown;
    unforced.add(client);
    return gently();
  }
}

function mustCall(tools: readonly ModelTool[]): string {
  return `Answer by calling ${tools.map(({ name }) => `the tool ${name}`).join(' or ')}, once, and in no other way.`;
}
