/** The name a caller gives, looked at before anything is sent. Apart from the rest: it takes all the schemas of records. */

import { parsePassportClaim } from '../core/records/identity/passport.ts';
import { asCallerKnowsIt } from './lib/option-checks.ts';

/** Also a name that is only said hello with: there is none that could not be registered. */
export function checkName(name: unknown): void {
  asCallerKnowsIt(() => parsePassportClaim({ name }));
}
