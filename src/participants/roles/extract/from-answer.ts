/** The metadata an agent wrote into its own answer. Where it is not clear which block is meant, none is. */

import { canonicalJson, type JsonObject } from '../../../core/lib/json.ts';
import type { StandardSchema } from '../lib/standard-schema.ts';
import { metaBlocks } from './blocks.ts';
import { invalid, judged, type Outcome } from './outcome.ts';

const MOST_PLACES = 5;

export async function fromAnswer<Meta>(schema: StandardSchema<Meta>, answer: string): Promise<Outcome<Meta>> {
  const blocks = metaBlocks(answer);
  const last = blocks.at(-1);
  if (last === undefined)
    return { kind: 'absent', why: 'the answer has no front matter and no block of JSON', inAnswer: true };
  if ('problem' in last.read) return invalid(`${last.where}: ${last.read.problem}`, answer);
  const outcomes = await Promise.all(distinct(blocks).map((said) => judged(schema, said)));
  const [found, other] = outcomes.filter(({ kind }) => kind === 'found');
  if (other !== undefined) {
    const places = blocks
      .slice(0, MOST_PLACES)
      .map(({ where }) => where)
      .join(', ');
    return invalid(`several blocks could be the metadata and say different things: ${places}`, answer);
  }
  // Which was meant nobody knows; the last is the agent's last word.
  return found ?? outcomes.at(-1) ?? { kind: 'absent', why: 'no block can be read', inAnswer: true };
}

function distinct(blocks: ReturnType<typeof metaBlocks>): readonly JsonObject[] {
  const values = blocks.flatMap(({ read }) => ('value' in read ? [read.value] : []));
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
