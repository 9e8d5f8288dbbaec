/** A list of problems; each leads to its place in the text. */

import type { VNode } from 'preact';
import { longText } from '../../text/visible-text.ts';
import type { Problem } from './graph-problems.ts';

interface ProblemsProps {
  readonly id: string;
  readonly problems: readonly Problem[];
  readonly onGoTo: (problem: Problem) => void;
}

export function Problems({ id, problems, onGoTo }: ProblemsProps): VNode {
  return (
    <div id={id} class="graph-problems" role="status">
      {problems.length > 0 && (
        <ul>
          {problems.map((problem, i) => (
            <li key={i} class={`graph-problem graph-problem-${problem.kind}`}>
              <button type="button" class="graph-problem-place" onClick={() => onGoTo(problem)}>
                line {problem.line}, column {problem.column}
              </button>
              <span class="part-unseen">{problem.kind}: </span>
              {longText(problem.message)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
