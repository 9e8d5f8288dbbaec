// Draws docs/demo.svg from the last three sessions that `parley demo` shows in a terminal of 100 columns: node .ci/draw-demo.mjs
// Run it after the demonstration changed (a test compares the two). Needs the command `script` of util-linux.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const demo = `${process.execPath} --conditions=parley-source --import tsx src/cli/main.ts demo`;
const { NO_COLOR: _, ...env } = process.env;
const output = execFileSync('script', ['-qec', `stty cols 100; ${demo}`, '/dev/null'], {
  cwd: root,
  env: { ...env, TERM: 'xterm-256color' },
  encoding: 'utf8',
});

const CHAR = 8.4;
const LINE = 19;
const MARGIN = 18;
const BAR = 30;
const COLOURS = {
  1: '#ffffff',
  2: '#8b949e',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
};
const PLAIN = '#e6edf3';

const all = output.replaceAll('\r', '').split('\n');
const lines = all.slice(
  all.findIndex((line) => line.includes('discussion: ')),
  all.findIndex((line) => line.startsWith('What to try next')) - 1,
);
const width = Math.round(100 * CHAR + 2 * MARGIN);
const height = BAR + lines.length * LINE + 2 * MARGIN;
const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
  (fill, i) => `<circle cx="${22 + 20 * i}" cy="17" r="6" fill="${fill}"/>`,
);

writeFileSync(
  join(root, 'docs/demo.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>The output of parley demo: a discussion, a turn that is missed and a workflow, from INVITED to CLOSED</title>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
${dots.join('')}<text x="${width / 2}" y="22" text-anchor="middle" fill="#8b949e" font-family="sans-serif" font-size="13">parley demo</text>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${lines.map(drawLine).join('\n')}
</g>
</svg>
`,
);

/** Every piece of text says its column, so that a font with other widths cannot shift the next one. */
function drawLine(line, at) {
  const y = BAR + MARGIN + (at + 1) * LINE - 5;
  let column = 0;
  let code = '';
  const spans = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with ESC
  for (const [piece, style] of line.matchAll(/\u001b\[(\d+)m|[^\u001b]+/g)) {
    if (style !== undefined) {
      code = style;
      continue;
    }
    const text = piece.trimEnd();
    const start = column + text.length - text.trimStart().length;
    const bold = code === '1' ? ' font-weight="bold"' : '';
    const fill = COLOURS[code] ?? PLAIN;
    const x = (MARGIN + start * CHAR).toFixed(1);
    if (text !== '') spans.push(`<tspan x="${x}" fill="${fill}"${bold}>${escapeXml(text.trimStart())}</tspan>`);
    column += piece.length;
  }
  return `<text y="${y}" xml:space="preserve">${spans.join('')}</text>`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
