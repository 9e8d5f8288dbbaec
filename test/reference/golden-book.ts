/** Golden frames: compares a run of the scenes with test/reference/golden. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../package/repository.ts';
import type { Exchange, Frame } from './wire-peer.ts';

/** A frame by itself, or a request with its answer. */
export type Golden = { readonly frame: Frame } | Exchange;

export class GoldenBook {
  readonly frames: Map<string, Frame> = new Map();
  readonly operations: Map<string, Exchange> = new Map();
  readonly refusals: Map<string, Exchange> = new Map();

  /** `notify` or, where a kind has several examples, `notify of an invite`. */
  frame(name: string, frame: Frame): Frame {
    this.frames.set(name, frame);
    return frame;
  }

  operation(exchange: Exchange): Exchange {
    if (exchange.response.ok !== true) throw new Error(`refused: ${JSON.stringify(exchange)}`);
    this.operations.set(String(exchange.request.op), exchange);
    return exchange;
  }

  refusal(exchange: Exchange): Exchange {
    const error = exchange.response.error as { code?: string } | undefined;
    if (error?.code === undefined) throw new Error(`not refused: ${JSON.stringify(exchange)}`);
    this.refusals.set(error.code, exchange);
    return exchange;
  }

  /** File name → content. */
  files(): Map<string, Golden> {
    return new Map<string, Golden>([
      ...[...this.frames].map(([name, frame]) => [`frame-${name.replaceAll(' ', '-')}`, { frame }] as const),
      ...[...this.operations].map(([name, exchange]) => [`operation-${name}`, exchange] as const),
      ...[...this.refusals].map(([name, exchange]) => [`refusal-${name}`, exchange] as const),
    ]);
  }
}

const folder = join(root, 'test/reference/golden');

export function keptGoldens(): Map<string, Golden> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    names.sort().map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  );
}

export function keepGoldens(book: GoldenBook): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, golden] of book.files()) {
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(golden, null, 2)}\n`);
  }
}
