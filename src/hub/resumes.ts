/**
 * Those who come back are caught up a few at a time, in order, and each agent once: who says hello again and again is caught up
 * for the last of them, and takes one place.
 */

import type { Binding } from './bindings.ts';
import type { HubParts } from './parts.ts';
import { type Resume, resumeBinding } from './resume.ts';

/** When thousands come back at once, whoever is here already is served between them. */
const RESUMES_AT_ONCE = 8;

interface Waiting {
  readonly binding: Binding;
  readonly resume: Resume;
}

export class Resumes {
  private readonly parts: HubParts;
  /** By agent, in the order they came; a later hello has the place of the one it replaces. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly running = new Set<string>();

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  begin(binding: Binding, resume: Resume): void {
    this.waiting.set(binding.agentId, { binding, resume });
    this.startSome();
  }

  private startSome(): void {
    for (const [agentId, { binding, resume }] of this.waiting) {
      if (this.running.size >= RESUMES_AT_ONCE) return;
      // What reads for its former binding ends soon.
      if (this.running.has(agentId)) continue;
      this.waiting.delete(agentId);
      this.running.add(agentId);
      void resumeBinding(this.parts, binding, resume).then(() => this.ended(binding));
    }
  }

  /** For who is gone nothing is read, and the next begins at once. */
  private ended(binding: Binding): void {
    this.running.delete(binding.agentId);
    if (this.waiting.size === 0) return;
    if (this.parts.bindings.isCurrent(binding)) this.parts.clock.after(0, () => this.startSome());
    else this.startSome();
  }
}
