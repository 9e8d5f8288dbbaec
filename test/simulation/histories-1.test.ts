import { describeHistories } from './describe-histories.ts';

describeHistories(1, 400);
