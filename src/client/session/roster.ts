/** Resolves names of a session's participants: learnt from metadata, requested when an unknown id appears. */

import { HubError } from '../../core/lib/errors.ts';

export interface NamedAgent {
  readonly agent_id: string;
  readonly name: string;
}

export class Roster {
  private readonly load: () => Promise<readonly NamedAgent[]>;
  /** The pending request, shared by all callers; null if there is none. */
  private asking: Promise<void> | null = null;
  private readonly names = new Map<string, string>();
  private readonly ids = new Map<string, string>();
  /** Ids still without a name after asking the hub; not asked for again. */
  private readonly nameless = new Set<string>();

  constructor(load: () => Promise<readonly NamedAgent[]>) {
    this.load = load;
  }

  learn(participants: readonly NamedAgent[]): void {
    for (const { agent_id, name } of participants) {
      this.names.set(agent_id, name);
      this.ids.set(name, agent_id);
    }
  }

  /** The name of a participant; its id if the name is unknown. */
  async nameOf(agentId: string): Promise<string> {
    if (!this.names.has(agentId) && !this.nameless.has(agentId)) {
      // A name is only for display: fall back to the id.
      await this.ask().catch(() => {});
      if (!this.names.has(agentId)) this.nameless.add(agentId);
    }
    return this.names.get(agentId) ?? agentId;
  }

  /** Resolves names or ids from memory; null if some are not known yet. */
  knownIds(refs: readonly string[]): readonly string[] | null {
    const ids = refs.map((ref) => this.find(ref)).filter((agentId) => agentId !== undefined);
    return ids.length === refs.length ? ids : null;
  }

  /** Resolves names or ids after asking the hub; throws if one is unknown. */
  async idsOf(refs: readonly string[]): Promise<readonly string[]> {
    await this.ask();
    return refs.map((ref) => {
      const agentId = this.find(ref);
      if (agentId !== undefined) return agentId;
      const known = [...this.ids.keys()].join(', ');
      throw new HubError('unknown_participant', `expected the name of a participant (${known}), got "${ref}"`);
    });
  }

  private ask(): Promise<void> {
    this.asking ??= this.load()
      .then((participants) => this.learn(participants))
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }

  private find(ref: string): string | undefined {
    return this.names.has(ref) ? ref : this.ids.get(ref);
  }
}
