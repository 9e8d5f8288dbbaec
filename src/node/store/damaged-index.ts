/** The index does not agree with itself or with the journal. Everything in it is in the journal: the next start builds it anew. */

import { HubError } from '../../core/lib/errors.ts';

export class DamagedIndex extends HubError {
  constructor(what: string) {
    super('index_damaged', `the index of the data folder is damaged: ${what}; it is built anew at the next start`);
    this.name = 'DamagedIndex';
  }
}
