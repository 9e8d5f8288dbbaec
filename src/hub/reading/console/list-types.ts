/** Lists the session types of the hub, and checks a transition graph before a session uses it. */

import { internalError, WireError } from '../../../core/lib/errors.ts';
import type { RulePart } from '../../../core/ports/transition.ts';
import type { RulePartInfo } from '../../../core/protocol/operations/console-sessions.ts';
import type { Params, Result } from '../../../core/protocol/operations/operations.ts';
import type { RegisteredAdapter } from '../../extensions/adapters.ts';
import type { Extensions } from '../../extensions/resolve-adapter.ts';

type GraphExtensions = Pick<Extensions, 'adapters' | 'ruleParts'>;

export function listTypes({ adapters, ruleParts }: GraphExtensions): Result<'list_types'> {
  const { conditions, targets } = ruleParts.newest();
  const graph = { conditions: [...conditions.values()].map(infoOf), targets: [...targets.values()].map(infoOf) };
  const types = adapters.newest().map(({ adapter, inspectGraph }) => ({
    manifest: adapter.manifest,
    graph: inspectGraph === null ? null : graph,
  }));
  return { types };
}

function infoOf(part: RulePart & { readonly conditions?: readonly string[] }): RulePartInfo {
  const { name, version, agents = [], conditions = [] } = part;
  return { name, version, agents, conditions };
}

export function checkGraph(
  { adapters, ruleParts }: GraphExtensions,
  { graph, type }: Params<'check_graph'>,
): Result<'check_graph'> {
  const { adapter, inspect } = withGraphs(adapters.newest(), type);
  try {
    return inspect(graph, ruleParts.newest());
  } catch (thrown) {
    throw internalError(thrown, `inspectGraph of ${adapter.manifest.type} version ${adapter.manifest.version}`);
  }
}

function withGraphs(types: readonly RegisteredAdapter[], type: string | undefined) {
  for (const { adapter, inspectGraph } of types) {
    const matches = type === undefined || type === adapter.manifest.type;
    if (matches && inspectGraph !== null) return { adapter, inspect: inspectGraph };
  }
  const known = types.filter(({ inspectGraph }) => inspectGraph !== null).map(({ adapter }) => adapter.manifest.type);
  const message = `params.type: expected a type with graphs (${known.join(', ') || 'this hub has none'}), got ${type ?? 'nothing'}`;
  throw new WireError('not_found', message, { field: 'params.type' });
}
