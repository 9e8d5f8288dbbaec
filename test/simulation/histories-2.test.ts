import { describeHistories } from './describe-histories.ts';

describeHistories(1001, 400);
