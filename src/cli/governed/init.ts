/** `parley run init`: a project, if there is none, and its run. */

import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asText } from '../../node/governed/whole-file.ts';
import type { Asked } from '../terminal/command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { Trouble } from '../terminal/command-error.ts';
import { nextSteps } from './next-steps.ts';
import { adapterFaultsOf, CONFIG_FILE, projectOf, rootOf } from './project.ts';
import { refusedBy } from './explain-refusal.ts';
import { type TemplateName, templateOf } from './templates.ts';

export async function init(asked: Asked, io: Io): Promise<number> {
  const root = (await rootOf(asked)) ?? process.cwd();
  // Checked against the list by the parser.
  const template = asked.values.template as TemplateName | undefined;
  const made = await scaffolded(root, template);
  const project = await projectOf({ ...asked, values: { ...asked.values, root } });
  const begun = await project.runner.initRun(root, project.config, {
    provenance: { trigger: 'manual', created_by: 'parley run init' },
    allow_terminal_restart: asked.switches.has('new'),
  });
  if (!begun.ok) throw await refusedBy(begun, project);
  io.put({ root, made, state: begun.state });
  if (made) io.say(`${join(root, CONFIG_FILE)} is made, from the template ${template ?? 'team'}`);
  if (begun.migration_notice !== null) io.say(begun.migration_notice);
  io.say(`${begun.state.run_id} has begun, in phase ${begun.state.phase}`);
  // People can do the turns all the same, with assign and accept.
  for (const fault of await adapterFaultsOf(project)) io.note(`${CONFIG_FILE}: ${fault}`);
  for (const step of nextSteps(begun.state, project)) io.say(`Next: ${step}`);
  return EXIT.done;
}

/** False = there was one already, and nothing of it is changed. */
async function scaffolded(root: string, template: TemplateName | undefined): Promise<boolean> {
  const file = join(root, CONFIG_FILE);
  const made = await open(file, 'wx', 0o644).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EEXIST') return null;
    throw thrown;
  });
  if (made === null) {
    if (template === undefined) return false;
    const hint = 'Leave --template out to begin a run with it, or give another folder with --root.';
    throw new Trouble('wrong', 'project_exists', `${file} is there already, and is not overwritten`, hint);
  }
  try {
    await made.writeFile(asText(templateOf(template ?? 'team', basename(root))));
    await made.sync();
  } finally {
    await made.close();
  }
  return true;
}
