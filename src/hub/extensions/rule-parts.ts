/** Registers conditions and targets by name and version. */

import { HubError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { Condition, RulePart, Target, UsedNames, Vocabulary } from '../../core/ports/transition.ts';
import { NamedRegistry } from '../lib/versioned-registry.ts';

/** The parts a session uses, and the record of them in its log. */
interface ChosenParts {
  readonly vocabulary: Vocabulary;
  /** Of used parts only: `{conditions: {name: version}, targets: {name: version}}`. */
  readonly versions: JsonObject;
}

export class RuleParts {
  private readonly conditions = new PartTable<Condition>('condition', 'holds', 'from_speaker');
  private readonly targets = new PartTable<Target>('target', 'choose', 'round_robin');

  registerCondition(condition: Condition): void {
    this.conditions.register(condition);
  }

  registerTarget(target: Target): void {
    this.targets.register(target);
  }

  newest(): Vocabulary {
    return { conditions: this.conditions.newestByName(), targets: this.targets.newestByName() };
  }

  choose({ conditions, targets }: UsedNames): ChosenParts {
    const newest = this.newest();
    const chosen = {
      conditions: this.conditions.only(newest.conditions, conditions),
      targets: this.targets.only(newest.targets, targets),
    };
    return { vocabulary: chosen, versions: versionsOf(chosen) };
  }

  /** The parts a log names, or what is missing. */
  recorded(versions: JsonObject): Vocabulary | { readonly missing: string } {
    const missing: string[] = [];
    const vocabulary = {
      conditions: this.conditions.exact(versions.conditions, missing),
      targets: this.targets.exact(versions.targets, missing),
    };
    return missing.length === 0 ? vocabulary : { missing: missing.join(', ') };
  }
}

class PartTable<Part extends RulePart> extends NamedRegistry<Part> {
  constructor(kind: string, member: string, example: string) {
    const registration = { kind: `a ${kind}`, code: 'bad_rule_part', example, members: [member] };
    super(kind, 'rule_part_exists', () => registration);
  }

  newestByName(): ReadonlyMap<string, Part> {
    const parts = this.names.map((name) => [name, this.newest(name)] as const);
    return new Map(parts.filter((entry): entry is readonly [string, Part] => entry[1] !== null));
  }

  /** The named parts. Throws if one is not registered: naming it is the adapter's defect. */
  only(parts: ReadonlyMap<string, Part>, names: readonly string[]): ReadonlyMap<string, Part> {
    const entries = names.map((name) => {
      const part = parts.get(name);
      if (part !== undefined) return [name, part] as const;
      const known = [...parts.keys()].join(', ');
      throw new HubError('unknown_part', `no ${this.kind} "${name}" is registered; there are ${known}`);
    });
    return new Map(entries);
  }

  /** `recorded`: versions by name, as the hub wrote them; absent = none. */
  exact(recorded: unknown, missing: string[]): ReadonlyMap<string, Part> {
    const found = new Map<string, Part>();
    for (const [name, version] of Object.entries(recorded ?? {})) {
      const part = this.find(name, Number(version));
      if (part === null) missing.push(`${this.kind} ${name} version ${version}`);
      else found.set(name, part);
    }
    return found;
  }
}

function versionsOf({ conditions, targets }: Vocabulary): JsonObject {
  const versions = (parts: ReadonlyMap<string, RulePart>) =>
    Object.fromEntries([...parts].map(([name, { version }]) => [name, version]));
  return {
    ...(conditions.size === 0 ? {} : { conditions: versions(conditions) }),
    ...(targets.size === 0 ? {} : { targets: versions(targets) }),
  };
}
