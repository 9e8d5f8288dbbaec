/** Prices of the project's own: `budget.cost_rates` in its config, by model, in USD per million tokens. */

import { isoFromMs } from '../../../core/time.ts';
import type { GovernedConfig } from '../../../governed/index.ts';
import { isRecord, own, type Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import type { PriceList } from '../../../participants/models/index.ts';
import { refuse } from '../../../governed/drivers/attempt/failure.ts';

/** undefined = the project says nothing about this model. */
export function ratesOf({ budget }: GovernedConfig, model: string, nowMs: number): PriceList | undefined {
  const rates = isRecord(budget) ? (budget as Unknowns).cost_rates : undefined;
  const rate = isRecord(rates) ? own(rates, model) : undefined;
  if (!isRecord(rate)) return undefined;
  const { input_per_1m: input, output_per_1m: output } = rate;
  if (typeof input !== 'number' || typeof output !== 'number' || !(input >= 0) || !(output >= 0)) {
    return refuse(
      'bad_settings',
      `budget.cost_rates.${model}: expected input_per_1m and output_per_1m, numbers from 0 on`,
    );
  }
  return { as_of: isoFromMs(nowMs).slice(0, 10), prices: [{ models: [model], tiers: [{ above: 0, input, output }] }] };
}
