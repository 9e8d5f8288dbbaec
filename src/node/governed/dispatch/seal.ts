/** The last step before a turn goes out: hooks may add to its bundle, and then it is sealed. */

import { bundleFolder } from '../../../governed/engine/dispatch/paths.ts';
import type { GovernedConfig, RunState } from '../../../governed/index.ts';
import { type HookOptions, type HooksRun, runHooks } from '../../../governed/hooks/run-hooks.ts';
import { finaliseManifest, type Sealed } from '../manifest/finalise.ts';
import { observe } from '../manifest/observe.ts';
import { type NotDone, orRefusal } from '../refusal.ts';
import { placeIn } from '../safe-place.ts';
import { turnFor } from '../../../governed/dispatch/bundle.ts';

export interface SealOptions extends Pick<HookOptions, 'variables' | 'signal'> {
  readonly turnId?: string;
  readonly now: string;
}

export type BundleSealed = (Sealed & { readonly hooks: HooksRun }) | (NotDone & { readonly hooks?: HooksRun });

export function sealDispatchBundle(
  root: string,
  state: RunState,
  config: GovernedConfig,
  { turnId, now, ...options }: SealOptions,
): Promise<BundleSealed> {
  return orRefusal(async (): Promise<BundleSealed> => {
    const { turn_id, assigned_role } = turnFor(state, turnId);
    const bundle_path = bundleFolder(turn_id);
    const observed = (await observe(await placeIn(root, bundle_path))) ?? [];
    const bundle_files = observed.map(({ path }) => path);
    const hooks = await runHooks(
      root,
      config.hooks,
      'after_dispatch',
      { turn_id, role_id: assigned_role, bundle_path, bundle_files },
      {
        ...options,
        run_id: state.run_id,
        turn_id,
        // A hook may add files; what was written for the turn stays as it was written.
        protectedPaths: [bundle_path],
      },
    );
    if (!hooks.ok) {
      return {
        ok: false,
        error: hooks.error ?? 'a hook stopped it',
        error_code: hooks.error_code ?? 'hook_blocked',
        hooks,
      };
    }
    const sealed = await finaliseManifest(root, { run_id: state.run_id, turn_id, role: assigned_role }, now);
    return { ...sealed, hooks };
  });
}
