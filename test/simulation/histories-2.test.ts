import { runs } from '../support/size.ts';
import { describeHistories } from './describe-histories.ts';

describeHistories(1001, runs(400, 36));
