/** What every panel of the inspector gets. */

import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';
import type { OpenSession } from '../../state/session/open-session.ts';

export interface PanelProps {
  readonly session: OpenSession;
  /** As of the seq that is looked at. */
  readonly state: SessionStateAt;
}
