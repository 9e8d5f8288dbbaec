/** Shows the profile and the skill of an agent, read when the person opens them. */

import type { Resume } from '../../core/records/identity/resume.ts';
import type { Skill } from '../../core/records/identity/skill.ts';
import { callRead } from '../connection/read-operations.ts';
import { useRead } from '../connection/use-read.ts';
import { Said } from '../text/untrusted-text.tsx';
import { Ago } from '../time/times.tsx';
import { Facts, Failure, LineIn } from '../widgets/widgets.tsx';
import { observedText } from './feed-text.ts';

export function AgentResume({ agentId: agent }: { agentId: string }) {
  const read = () => Promise.all([callRead('get_resume', { agent }), callRead('get_skill', { agent })]);
  const { answer, failure } = useRead(read, [agent]);
  if (failure !== null) return <Failure why={failure} />;
  return (
    <div class="resume">
      {answer === null ? <p class="dim">Loading…</p> : <Profile resume={answer[0]} skill={answer[1]} />}
    </div>
  );
}

function Profile({ resume, skill }: { resume: Resume; skill: Skill }) {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['Summary', resume.summary === '' ? [] : [resume.summary]],
    ['Capabilities', resume.claimed_capabilities],
    ['Domains', resume.domains],
    ['Examples', resume.examples],
    ['Observed', Object.entries(resume.observed).map(observedText)],
  ];
  const known = lists.filter(([, lines]) => lines.length > 0);
  const facts = known.map(
    ([name, lines]) => [name, lines.map((line, at) => <LineIn key={at} tag="p" text={line} most={1000} />)] as const,
  );
  const updated = resume.last_updated === null ? [] : [['Updated', <Ago key="at" at={resume.last_updated} />] as const];
  return (
    <>
      {known.length === 0 && <p class="dim">This agent has no profile.</p>}
      <Facts facts={[...facts, ...updated]} />
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
