/** The profile and the skill of an agent, read when the person opens them. */

import type { Resume } from '../../core/records/identity/resume.ts';
import type { Skill } from '../../core/records/identity/skill.ts';
import { callRead } from '../connection/read-operations.ts';
import { useRead } from '../connection/use-read.ts';
import { Failure } from '../refusal.tsx';
import { Line, Said } from '../text/untrusted-text.tsx';
import { Ago } from '../time/times.tsx';
import { observedText } from './feed-text.ts';

export function AgentResume({ agentId: agent }: { agentId: string }) {
  const read = () => Promise.all([callRead('get_resume', { agent }), callRead('get_skill', { agent })]);
  const { answer, failure } = useRead(read, [agent]);
  if (failure !== null) return <Failure why={failure} />;
  return (
    <div class="resume">
      {answer === null ? <p class="dim">Loading…</p> : <Facts resume={answer[0]} skill={answer[1]} />}
    </div>
  );
}

function Facts({ resume, skill }: { resume: Resume; skill: Skill }) {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Summary', resume.summary === '' ? [] : [resume.summary]],
    ['Capabilities', resume.claimed_capabilities],
    ['Domains', resume.domains],
    ['Examples', resume.examples],
    ['Observed', Object.entries(resume.observed).map(observedText)],
  ];
  const known = facts.filter(([, lines]) => lines.length > 0);
  return (
    <>
      {known.length === 0 && <p class="dim">This agent has no profile.</p>}
      <dl class="facts">
        {known.map(([name, lines]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {lines.map((line, at) => (
                <p key={at}>
                  <Line text={line} most={1000} />
                </p>
              ))}
            </dd>
          </div>
        ))}
        {resume.last_updated !== null && (
          <div>
            <dt>Updated</dt>
            <dd>
              <Ago at={resume.last_updated} />
            </dd>
          </div>
        )}
      </dl>
      {!skill.rendered && (
        <>
          <h3>Skill</h3>
          <div class="value" tabIndex={0} role="region" aria-label="Skill">
            <Said text={skill.text} />
          </div>
        </>
      )}
    </>
  );
}
