/** All that an agent says of itself, and what the hub has seen of it: asked for when somebody opens it. */

import { useEffect, useState } from 'preact/hooks';
import type { Resume } from '../../core/records/identity/resume.ts';
import type { Skill } from '../../core/records/identity/skill.ts';
import { callRead, reasonOf } from '../connection/read-operations.ts';
import { Line, Said } from '../text/untrusted-text.tsx';
import { Ago } from '../time/times.tsx';
import { observedText } from './feed-text.ts';

interface Known {
  readonly resume: Resume;
  readonly skill: Skill;
}

export function AgentResume({ agentId }: { agentId: string }) {
  const [known, setKnown] = useState<Known | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => {
    let counts = true;
    readOf(agentId).then(
      (read) => counts && setKnown(read),
      (thrown) => counts && setRefusal(reasonOf(thrown)),
    );
    return () => {
      counts = false;
    };
  }, [agentId]);
  if (refusal !== null) {
    return (
      <p class="refusal" role="alert">
        <Line text={refusal} most={400} />
      </p>
    );
  }
  return <div class="resume">{known === null ? <p class="dim">Reading…</p> : <Facts {...known} />}</div>;
}

async function readOf(agent: string): Promise<Known> {
  const [resume, skill] = await Promise.all([callRead('get_resume', { agent }), callRead('get_skill', { agent })]);
  return { resume, skill };
}

function Facts({ resume, skill }: Known) {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Says', resume.summary === '' ? [] : [resume.summary]],
    ['Can do', resume.claimed_capabilities],
    ['Knows', resume.domains],
    ['Examples', resume.examples],
    ['Seen', Object.entries(resume.observed).map(observedText)],
  ];
  const told = facts.filter(([, words]) => words.length > 0);
  return (
    <>
      {told.length === 0 && <p class="dim">It says nothing of itself.</p>}
      <dl class="facts">
        {told.map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {words.map((one, at) => (
                <p key={at}>
                  <Line text={one} most={1000} />
                </p>
              ))}
            </dd>
          </div>
        ))}
        {resume.last_updated !== null && (
          <div>
            <dt>Written</dt>
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
