/** A module of the project that has an adapter in it. Only what is in the project, or is one of its packages, is loaded. */

import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asError } from '../../../core/lib/errors.ts';
import { refuse } from '../../../governed/drivers/attempt/failure.ts';

export async function loadModule(root: string, module: string): Promise<Readonly<Record<string, unknown>>> {
  const file = await fileOf(root, module);
  if (/\.[cm]?tsx?$/.test(file)) {
    refuse('module_unusable', `${module}: expected JavaScript, got TypeScript; build it first`);
  }
  try {
    return await import(pathToFileURL(file).href);
  } catch (thrown) {
    return refuse('module_unusable', `${module}: it cannot be loaded: ${asError(thrown).message}`);
  }
}

async function fileOf(root: string, module: string): Promise<string> {
  if (/^\.{1,2}\//.test(module) || isAbsolute(module)) return ownFile(root, module);
  if (!PACKAGE.test(module)) {
    return refuse(
      'module_unusable',
      `${JSON.stringify(module)}: expected a path such as ./adapters/mine.js, or a package`,
    );
  }
  try {
    return createRequire(join(resolve(root), 'package.json')).resolve(module);
  } catch (thrown) {
    const [first = ''] = asError(thrown).message.split('\n');
    return refuse('module_unusable', `${module}: there is no such package in the project: ${first}`);
  }
}

/** A name, with a path behind it that does not climb. */
const PACKAGE = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/(?!\.)[\w.~-]+)*$/;

/** Where it leads, links and all, is in the project. */
async function ownFile(root: string, module: string): Promise<string> {
  let [base, file] = ['', ''];
  try {
    [base, file] = await Promise.all([realpath(root), realpath(resolve(root, module))]);
  } catch (thrown) {
    return refuse('module_unusable', `${module}: ${asError(thrown).message}`);
  }
  const inside = relative(base, file);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) {
    return refuse('module_unusable', `${module}: expected a file inside the project`);
  }
  return file;
}
