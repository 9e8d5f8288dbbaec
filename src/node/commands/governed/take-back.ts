/** `parley run take-back`. */

import { takeBackRun } from '../../governed/serving/take-back.ts';
import type { Asked } from '../../../cli/terminal/command.ts';
import { EXIT } from '../../../cli/terminal/exit-codes.ts';
import type { Io } from '../../../cli/terminal/io.ts';
import { printableLine } from '../../../cli/terminal/printable.ts';
import { projectOf } from '../../../cli/governed/project.ts';
import { refusedBy } from '../../../cli/governed/explain-refusal.ts';

export async function takeBack(asked: Asked, io: Io): Promise<number> {
  const project = await projectOf(asked);
  const answer = await takeBackRun(project.root);
  if (!answer.ok) throw await refusedBy(answer, project);
  io.put({ root: project.root });
  io.say(printableLine(`the runs of ${project.root} go on from its files, without a hub`));
  return EXIT.done;
}
