/** The participant of one HTTP request: each operation is asked for with the credential of that request, and nothing is kept. */

import type { OperationName, Params, Result } from '../../core/operations.ts';
import type { SingleRequest } from '../../hub/connection/single-request.ts';
import type { Asked } from '../../server/http/api.ts';
import type { Bells } from './bells.ts';
import type { Participant, Watch } from './participant.ts';

export interface HttpParticipantSettings {
  readonly hub: Asked & {
    markRead(agentId: string, sessionId: string, seq: number): void;
    looksIn(agentId: string): void;
  };
  readonly bells: Bells;
  readonly agentId: string;
  readonly proof: Omit<SingleRequest, 'op' | 'params'>;
}

export class HttpParticipant implements Participant {
  readonly agentId: Promise<string>;
  private readonly settings: HttpParticipantSettings;

  constructor(settings: HttpParticipantSettings) {
    this.settings = settings;
    this.agentId = Promise.resolve(settings.agentId);
  }

  async call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>> {
    const { hub, proof, agentId } = this.settings;
    // Who waits looks every few seconds, and is here meanwhile.
    hub.looksIn(agentId);
    // The hub answers an operation with that operation's result.
    return (await hub.ask({ ...proof, op, params: async () => params })) as Result<Name>;
  }

  watch(sessionId: string | null): Watch {
    return this.settings.bells.add(this.settings.agentId, sessionId);
  }

  hasRead(sessionId: string, seq: number): void {
    this.settings.hub.markRead(this.settings.agentId, sessionId, seq);
  }
}
