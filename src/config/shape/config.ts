/** What a config file says: a hub, who takes part in it, what they may do, and what is opened by the clock. */

import type { ModelSettings } from '../../cli/agent-options/model-choice.ts';
import type { ScheduledSession } from '../../client/operations/params.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { RuleChange } from '../../core/records/access/rule.ts';
import type { MissedTimes } from '../../core/records/work/schedule.ts';
import type { Budget } from '../../participants/budget/budget.ts';
import type { CliName } from '../../participants/clis/cli-agents.ts';
import type { Permissions, Transport } from '../../participants/clis/records/cli-record.ts';
import type { PriceList } from '../../participants/models/usage/prices.ts';
import type { ExtractStrategy } from '../../participants/roles/extract/settings.ts';
import type { MetaSchema } from '../../participants/roles/role.ts';
import type { HubToolName } from '../../participants/tools/hub-tools.ts';
import type { ServeLimits } from '../../server/port/serve-options.ts';
import type { LogLevel } from '../../server/telemetry/line-log.ts';

/** As `parley up` takes them as options; those come first. */
export interface HubConfig {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly data?: string | undefined;
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly auth?:
    | {
        readonly tokens?: boolean | undefined;
        readonly none?: boolean | undefined;
        readonly jwt?:
          | {
              readonly issuer: string;
              readonly audience: string;
              /** A file, or an https address. */
              readonly jwks: string;
              readonly algorithms?: readonly string[] | undefined;
              readonly clockToleranceSeconds?: number | undefined;
            }
          | undefined;
      }
    | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  /** The page for people at `/`; true unless told. */
  readonly console?: boolean | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Of the port. */
  readonly connectionLimits?: Partial<ServeLimits> | undefined;
  readonly logLevel?: LogLevel | undefined;
}

/** A participant. One of `cli`, `command` and `script` takes its turns, or a `model` such as `anthropic:claude-sonnet-5`. */
export interface AgentConfig extends Omit<ModelSettings, 'timeoutMs'> {
  /** Without a program: the API and the model, `anthropic:…`, `openai:…` or `responses:…`. With one, the model it is told. */
  readonly model?: string | undefined;
  readonly cli?: CliName | undefined;
  /** A command line, or its words. No shell reads it. */
  readonly command?: string | readonly string[] | undefined;
  /** The path of a module with a function or a list of answers, or of a JSON file with a list. */
  readonly script?: string | undefined;
  /** How long a turn may take, such as `10m`. */
  readonly timeout?: string | number | undefined;
  /** Of a program: variables that it gets too. */
  readonly passEnv?: readonly string[] | undefined;
  /** Of a program: where it runs; where the file is, unless told. */
  readonly cwd?: string | undefined;
  readonly permissions?: Permissions | undefined;
  readonly transport?: Transport | undefined;
  readonly output?: 'text' | 'json' | 'jsonl' | undefined;
  /** One of `roles`. */
  readonly role?: string | undefined;
  /** What it is told with every turn, after what its role says. */
  readonly prompt?: string | undefined;
  /** Tools of the hub for a model, or for a script that calls them: all that fit, or these. */
  readonly tools?: boolean | readonly HubToolName[] | undefined;
  /** What it may spend, by turn, by session and in all. */
  readonly budget?: Budget | undefined;
  /** What it can do, for others to find. */
  readonly capabilities?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  /** What it is shown of a session: a view by name, or with parameters. */
  readonly view?: string | { readonly name: string; readonly params?: JsonObject | undefined } | undefined;
  /** Turns it takes at once. */
  readonly parallel?: number | undefined;
  /** Messages it answers in a session in which nobody has the turn. */
  readonly maxAnswers?: number | undefined;
}

/** A model that is asked for metadata: by its name alone, or with where it is served. */
export type SecondModel =
  | string
  | {
      readonly model: string;
      readonly baseUrl?: string | undefined;
      readonly apiKey?: string | undefined;
      readonly maxTokens?: number | undefined;
    };

/** How metadata is got out of answers. */
export interface ExtractConfig {
  /** Which ways, in this order. */
  readonly strategies?: readonly ExtractStrategy[] | undefined;
  /** The second model, for the way `model`. */
  readonly model?: SecondModel | undefined;
  /** Whether the agent is told how to write its metadata. */
  readonly instruct?: boolean | undefined;
  /** How often what is wrong is told, and asked for again. */
  readonly corrections?: 0 | 1 | undefined;
}

/** Who somebody is, and what is known of its answers. */
export interface RoleConfig {
  readonly prompt?: string | undefined;
  /** The same in a markdown file, whose front matter is left out. */
  readonly promptFile?: string | undefined;
  /** What the metadata of its answers is like: a JSON Schema, or in a module any Standard Schema, such as one of zod. */
  readonly schema?: JsonObject | MetaSchema | undefined;
  /** Over those for all roles, field by field. */
  readonly extract?: ExtractConfig | undefined;
}

/** With whom an agent may talk and how much, and what it may do beside. What is left out is as it is for everybody. */
export interface RuleConfig extends RuleChange {
  readonly grants?: readonly Grant[] | undefined;
}

/** A session that is opened by the clock. */
export interface ScheduleConfig extends ScheduledSession {
  /** Who opens it. */
  readonly as: string;
  readonly cron: string;
  /** Whose clocks are meant; those of this machine unless told. */
  readonly zone?: string | undefined;
  readonly missed?: MissedTimes | undefined;
  readonly overlap?: boolean | undefined;
}

export interface Config {
  readonly hub?: HubConfig | undefined;
  /** By name. */
  readonly agents?: Readonly<Record<string, AgentConfig>> | undefined;
  readonly roles?: Readonly<Record<string, RoleConfig>> | undefined;
  /** For all roles with a schema. */
  readonly extract?: ExtractConfig | undefined;
  /** Prices of models, before those we know. */
  readonly prices?: PriceList | undefined;
  /** By the name of an agent; `*` = all agents of the file. */
  readonly rules?: Readonly<Record<string, RuleConfig>> | undefined;
  /** By name. */
  readonly schedules?: Readonly<Record<string, ScheduleConfig>> | undefined;
}

/** For `parley.config.ts`: the same object, known to the editor. */
export function defineConfig(config: Config): Config {
  return config;
}
