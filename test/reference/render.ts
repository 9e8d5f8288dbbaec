/** The generated parts of the pages on the wire, by the name of their block. */

import { OPERATIONS, type OperationName, WIRE_CODES, type WireCode } from 'parley-hub/core';
import { type FieldDoc, FRAMES, type FrameKind } from '../../src/core/protocol/frames/frame-catalogue.ts';
import { paramHelp } from '../../src/core/protocol/operations/operations.ts';
import { ENVELOPE_HELP } from './envelope-help.ts';
import { ERROR_ADVICE } from './error-advice.ts';
import { EVENTS } from './event-catalogue.ts';
import type { GoldenBook } from './golden-book.ts';
import { type JsonSchema, RECORDS, recordName, resultSchema, typeWords } from './type-text.ts';
import type { Frame } from './wire-peer.ts';

export function renderBlocks(book: GoldenBook): ReadonlyMap<string, string> {
  return new Map([
    ['kinds', kindsTable()],
    [
      'frames',
      Object.keys(FRAMES)
        .map((kind) => frameSection(kind as FrameKind, book))
        .join('\n\n'),
    ],
    [
      'operations',
      Object.keys(OPERATIONS)
        .map((name) => operationSection(name as OperationName, book))
        .join('\n\n'),
    ],
    ['events', eventsTable()],
    ['records', [...RECORDS].map(([name, schema]) => recordSection(name, schema)).join('\n\n')],
    [
      'errors',
      Object.keys(WIRE_CODES)
        .map((code) => errorSection(code as WireCode, book))
        .join('\n\n'),
    ],
  ]);
}

/** The table of operations in docs/reference/operations.md. */
export function withOperations(api: string): string {
  const rows = Object.values(OPERATIONS).map(
    ({ name, who, errors, help }) =>
      `| \`${name}\` | ${who} | ${errors.map((code) => `\`${code}\``).join(' ')} | ${help} |`,
  );
  return api.replace(
    /(?<=\| operation \| who \| errors \| what for \|\n\|---\|---\|---\|---\|\n)(\|.*\n)+/,
    () => `${rows.join('\n')}\n`,
  );
}

/** What a client repeats after a lost answer: it must not load the table's schemas to know it. */
export function withRetrySafety(source: string): string {
  const rows = Object.values(OPERATIONS).map(({ name, retry }) => `  ${name}: '${retry}',\n`);
  return source.replace(/(?<=export const RETRY_SAFETY: .* = \{\n)( {2}\w+: '.*',\n)+/, () => rows.join(''));
}

function kindsTable(): string {
  const rows = Object.entries(FRAMES).map(([kind, { direction, help, fields }]) => {
    const names = Object.entries<FieldDoc>(fields).map(([name, { type }]) => (type.endsWith('?') ? `${name}?` : name));
    return [`[${kind}](#${kind})`, direction, names.join(', '), help];
  });
  return table(['kind', 'direction', 'fields', 'what for'], rows);
}

function eventsTable(): string {
  const rows = Object.entries(EVENTS).map(([type, { help, audience, data }]) => {
    const members = Object.entries(data).map(([name, words]) => `\`${name}\` (${words})`);
    return [`\`${type}\``, help, audience, members.join('; ')];
  });
  return table(['event_type', 'when', 'for', '`event_data`'], rows);
}

function frameSection(kind: FrameKind, book: GoldenBook): string {
  const { direction, help, fields } = FRAMES[kind];
  const rows = Object.entries<FieldDoc>(fields).map(([name, note]) => {
    const isOptional = note.type.endsWith('?');
    return [
      `\`${name}\`${isOptional ? ' (optional)' : ''}`,
      isOptional ? note.type.slice(0, -1) : note.type,
      note.help,
    ];
  });
  const examples = [...book.frames.values()].filter((frame) => frame.kind === kind);
  const parts = [`### ${kind}`, `${capital(direction)}. ${help}`];
  if (rows.length > 0) parts.push(table(['field', 'type', ''], rows));
  return [...parts, fence(examples)].join('\n\n');
}

function operationSection(name: OperationName, book: GoldenBook): string {
  const { help, who, errors, params } = OPERATIONS[name];
  const { properties = {}, required = [] } = params.jsonSchema() as JsonSchema;
  const rows = Object.entries(properties).map(([param, schema]) => [
    `\`${param}\`${required.includes(param) ? '' : ' (optional)'}`,
    typeWords(schema),
    paramHelp(name, param),
  ]);
  const codes = errors.map((code) => `[\`${code}\`](#${code})`).join(', ');
  const shown = book.operations.get(name);
  return [
    `### ${name}`,
    help,
    `Who may: ${who}. Specific errors: ${codes === '' ? 'none' : codes}.`,
    ...(rows.length === 0 ? ['No parameters.'] : [table(['parameter', 'type', ''], rows)]),
    resultWords(name),
    fence(shown === undefined ? [] : [shown.request, shown.response]),
  ].join('\n\n');
}

function resultWords(op: OperationName): string {
  const schema = resultSchema(op);
  if (recordName(schema) !== null) return `Result: ${typeWords(schema)}.`;
  return table(['result', 'type'], memberRows(schema));
}

function recordSection(name: string, schema: JsonSchema): string {
  if (name !== 'Envelope') return [`### ${name}`, table(['field', 'type'], memberRows(schema))].join('\n\n');
  const help: Readonly<Record<string, string>> = ENVELOPE_HELP;
  const rows = memberRows(schema).map(([field = '', type = '']) => [
    field,
    type,
    help[/`(.+)`/.exec(field)?.[1] ?? ''] ?? '',
  ]);
  return [`### ${name}`, table(['field', 'type', ''], rows)].join('\n\n');
}

function memberRows({ properties = {}, required = [] }: JsonSchema): string[][] {
  return Object.entries(properties).map(([name, schema]) => [
    `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`,
    typeWords(schema),
  ]);
}

function errorSection(code: WireCode, book: GoldenBook): string {
  const { details, next } = ERROR_ADVICE[code];
  const members = Object.entries(details).map(
    ([name, meaning]) => `${name === '…' ? '…' : `\`${name}\``} (${meaning})`,
  );
  const shown = book.refusals.get(code);
  return [
    `### ${code}`,
    `${WIRE_CODES[code]} *Next:* ${next}`,
    ...(members.length === 0 ? [] : [`Details, where they apply: ${members.join('; ')}.`]),
    ...(shown === undefined ? [] : [fence([shown.response])]),
  ].join('\n\n');
}

/** As on the wire, a message a line. */
function fence(frames: readonly Frame[]): string {
  return ['```json', ...frames.map((frame) => JSON.stringify(frame)), '```'].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const BLOCK = /<!-- generated: (\w+) -->\n[\s\S]*?<!-- end -->/g;

/** The pages with generated blocks, each with the blocks on it. */
export const WIRE_PAGES: Readonly<Record<string, readonly string[]>> = {
  'wire-frames.md': ['kinds', 'frames'],
  'wire-operations.md': ['operations'],
  'wire-records.md': ['events', 'records'],
  'wire-errors.md': ['errors'],
};

/** The document with each block as it should be. The text between the blocks is written by hand. */
export function withBlocks(page: string, document: string, blocks: ReadonlyMap<string, string>): string {
  const pages = pagesByAnchor(blocks);
  const linked = (block: string): string =>
    block.replaceAll(/\]\(#(\w+)\)/g, (link, anchor: string) => {
      const target = pages.get(anchor) ?? page;
      return target === page ? link : `](${target}#${anchor})`;
    });
  return document.replaceAll(BLOCK, (_all, name: string) => {
    const block = blocks.get(name);
    if (block === undefined) throw new Error(`there is no block "${name}"; there are ${[...blocks.keys()].join(', ')}`);
    return `<!-- generated: ${name} -->\n\n${linked(block)}\n\n<!-- end -->`;
  });
}

/** Blocks link to each other by anchor alone. This says on which page an anchor is. */
function pagesByAnchor(blocks: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(WIRE_PAGES).flatMap(([page, names]) =>
      names.flatMap((name) => {
        const headings = [...(blocks.get(name) ?? '').matchAll(/^### (\w+)$/gm)].map(([, title = '']) =>
          title.toLowerCase(),
        );
        return [name, ...headings].map((anchor) => [anchor, page] as const);
      }),
    ),
  );
}
