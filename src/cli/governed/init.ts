/** `parley run init`: creates a project if there is none, and starts its run. */

import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asText } from '../../system/atomic-file.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { usageError } from '../terminal/command-error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { explainRefusal } from './explain-refusal.ts';
import { sayNext } from './next-steps.ts';
import { CONFIG_FILE, driverFaults, findRoot, loadProject } from './project.ts';
import { createTemplate, type TemplateName } from './templates.ts';

export async function init(args: CommandArgs, io: Io): Promise<number> {
  const root = (await findRoot(args)) ?? process.cwd();
  const template = args.values.template as TemplateName | undefined;
  const made = await scaffolded(root, template);
  const project = await loadProject({ ...args, values: { ...args.values, root } });
  const begun = await project.runner.initRun(root, project.config, {
    provenance: { trigger: 'manual', created_by: 'parley run init' },
    allow_terminal_restart: args.switches.has('new'),
  });
  if (!begun.ok) throw await explainRefusal(begun, project);
  io.put({ root, made, state: begun.state });
  if (made) io.say(`created ${join(root, CONFIG_FILE)} from the template ${template ?? 'team'}`);
  if (begun.migration_notice !== null) io.say(begun.migration_notice);
  io.say(`${begun.state.run_id} started in phase ${begun.state.phase}`);
  // Report faults as notes only: people can still take the turns.
  for (const fault of await driverFaults(project)) io.note(`${CONFIG_FILE}: ${fault}`);
  sayNext(begun.state, project, io);
  return EXIT.done;
}

/** Creates the project. False if it already exists: an existing project is never changed. */
async function scaffolded(root: string, template: TemplateName | undefined): Promise<boolean> {
  const file = join(root, CONFIG_FILE);
  const made = await open(file, 'wx', 0o644).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EEXIST') return null;
    throw thrown;
  });
  if (made === null) {
    if (template === undefined) return false;
    const hint = 'Omit --template to start a run with it, or choose another folder with --root.';
    throw usageError('project_exists', `${file} already exists and is not overwritten`, hint);
  }
  try {
    await made.writeFile(asText(createTemplate(template ?? 'team', basename(root))));
    await made.sync();
  } finally {
    await made.close();
  }
  return true;
}
