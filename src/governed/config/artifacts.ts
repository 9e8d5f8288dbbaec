/** What phases have to leave behind, checked: places, titles and whose they are. */

import { isFilled, isMissing, isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';
import { type ConfigFault, invalid } from './fault.ts';
import { entriesOf, roleFault } from './references.ts';

export function artifactFaults(config: Unknowns): readonly ConfigFault[] {
  const { workflow_kit: kit } = config;
  if (isMissing(kit)) return [];
  if (!isRecord(kit)) return [invalid('workflow_kit', 'an object')];
  return entriesOf(kit.phases).flatMap(([phase, { artifacts }]) => {
    const field = `workflow_kit.phases.${phase}.artifacts`;
    if (isMissing(artifacts)) return [];
    if (!Array.isArray(artifacts)) return [invalid(field, 'an array')];
    return artifacts.flatMap((one: unknown, at) => oneArtifact(config, `${field}[${at}]`, one));
  });
}

function oneArtifact(config: Unknowns, field: string, artifact: unknown): readonly ConfigFault[] {
  if (!isRecord(artifact) || !isFilled(artifact.path)) return [invalid(`${field}.path`, 'a path')];
  const { required, semantics, semantics_config, owned_by } = artifact;
  const sections = isRecord(semantics_config) ? semantics_config.required_sections : undefined;
  const hasSections = Array.isArray(sections) && sections.length > 0 && sections.every(isFilled);
  return [
    ...(isMissing(required) || typeof required === 'boolean' ? [] : [invalid(`${field}.required`, 'true or false')]),
    ...(isMissing(semantics) || isFilled(semantics) ? [] : [invalid(`${field}.semantics`, 'a name')]),
    ...(semantics === 'section_check' && !hasSections
      ? [invalid(`${field}.semantics_config.required_sections`, 'an array of titles')]
      : []),
    ...(isMissing(owned_by) ? [] : roleFault(config, `${field}.owned_by`, owned_by)),
  ];
}
