/** Draws a small chart: a few series on one scale, with their current values as text. */

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import '../parts.css';
import './chart.css';
import { fittingText } from '../../text/fitting-text.ts';
import { shortText } from '../../text/visible-text.ts';
import { chartText, drawSeries, figuresOf, formatCompact, type Series } from './chart.ts';

interface SparklineProps {
  readonly label: string;
  /** Appended to each number, such as `/s` or ` ms`. */
  readonly unit: string;
  /** Only the first three are shown. */
  readonly series: readonly Series[];
  readonly width?: number;
  readonly height?: number;
}

export function Sparkline({ label, unit, series, width = 180, height = 44 }: SparklineProps): VNode {
  const shown = series.slice(0, 3);
  const drawn = useMemo(() => drawSeries(shown, { width, height }), [series, width, height]);
  return (
    <figure class="chart">
      <figcaption class="chart-caption">
        <span>{shortText(label)}</span>
        {shown.map((one, i) => (
          <span key={one.name} class={shown.length > 1 ? `chart-key chart-key-${i}` : ''}>
            {shown.length > 1 && `${shortText(one.name)} `}
            <span class="chart-now">{nowWords(one, unit)}</span>
          </span>
        ))}
        <span class="chart-most">{mostWords(shown, unit)}</span>
      </figcaption>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={fittingText(`${label}. ${chartText(shown, unit)}`, 300).text}
      >
        <line class="chart-base" x1={0} x2={width} y1={height - 2.5} y2={height - 2.5} />
        {/* Drawn in reverse order: the first series stays on top where series overlap. */}
        {[...drawn.entries()].reverse().map(([i, { line, area, last }]) => (
          <g key={shown[i]?.name} class={`chart-${i}`}>
            <path class="chart-area" d={area} />
            <path class="chart-line" d={line} />
            {last !== null && <circle class="chart-last" cx={last.x} cy={last.y} r={2.4} />}
          </g>
        ))}
      </svg>
    </figure>
  );
}

function nowWords(series: Series, unit: string): string {
  const { now } = figuresOf(series);
  return now === null ? '\u2013' : shortText(`${formatCompact(now)}${unit}`);
}

/** Names the upper end of the scale. */
function mostWords(series: readonly Series[], unit: string): string {
  const most = Math.max(...series.map((one) => figuresOf(one).most ?? 0));
  return most > 0 ? `up to ${formatCompact(most)}${unit}` : '';
}
