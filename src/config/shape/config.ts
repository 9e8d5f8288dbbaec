/** Defines the types of a config file: hub, agents, roles, rules and schedules. */

import type { ModelSettings } from '../../cli/agent-options/model-choice.ts';
import type { ScheduledSession } from '../../client/operations/params.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { RuleChange } from '../../core/records/access/rule.ts';
import type { MissedTimes } from '../../core/records/work/schedule.ts';
import type { Budget } from '../../participants/budget/account.ts';
import type { CliName } from '../../participants/clis/cli-agents.ts';
import type { Permissions, Transport } from '../../participants/clis/records/cli-record.ts';
import type { PriceList } from '../../participants/models/usage/prices.ts';
import type { ExtractStrategy } from '../../participants/roles/extract/settings.ts';
import type { MetaSchema } from '../../participants/roles/role.ts';
import type { HubToolName } from '../../participants/tools/hub-tools.ts';
import type { ServeLimits } from '../../server/port/serve-options.ts';
import type { LogLevel } from '../../server/telemetry/line-log.ts';

/** Settings of the hub. The options of `parley up` take precedence. */
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
              /** A file or an https URL. */
              readonly jwks: string;
              readonly algorithms?: readonly string[] | undefined;
              readonly clockToleranceSeconds?: number | undefined;
            }
          | undefined;
      }
    | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  /** Serve the console at `/` (default: true). */
  readonly console?: boolean | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly connectionLimits?: Partial<ServeLimits> | undefined;
  readonly logLevel?: LogLevel | undefined;
}

/** A participant, run by one of `cli`, `command`, `script`, or by a `model` such as `anthropic:claude-sonnet-5`. */
export interface AgentConfig extends Omit<ModelSettings, 'timeoutMs'> {
  /** Without a program: API and model, `anthropic:…`, `openai:…` or `responses:…`. With one: the model to pass to it. */
  readonly model?: string | undefined;
  readonly cli?: CliName | undefined;
  /** A command line or its words; runs without a shell. */
  readonly command?: string | readonly string[] | undefined;
  /** A module with a function or a list of answers, or a JSON file with a list. */
  readonly script?: string | undefined;
  /** Time limit of a turn, such as `10m`. */
  readonly timeout?: string | number | undefined;
  /** Environment variables to pass to a program. */
  readonly passEnv?: readonly string[] | undefined;
  /** Working folder of a program (default: the folder of the config file). */
  readonly cwd?: string | undefined;
  readonly permissions?: Permissions | undefined;
  readonly transport?: Transport | undefined;
  readonly output?: 'text' | 'json' | 'jsonl' | undefined;
  /** One of `roles`. */
  readonly role?: string | undefined;
  /** Added to every turn after the prompt of the role. */
  readonly prompt?: string | undefined;
  /** Hub tools for a model or a script: true = all that apply. */
  readonly tools?: boolean | readonly HubToolName[] | undefined;
  /** Spending limits per turn, per session and in total. */
  readonly budget?: Budget | undefined;
  /** Capabilities that others can search for. */
  readonly capabilities?: readonly string[] | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  /** View of the session: a name, or a name with parameters. */
  readonly view?: string | { readonly name: string; readonly params?: JsonObject | undefined } | undefined;
  /** Maximum concurrent turns. */
  readonly parallel?: number | undefined;
  /** Maximum answers in a session without turns. */
  readonly maxAnswers?: number | undefined;
}

/** The model of the strategy `model`: a name, or a name with its endpoint. */
export type SecondModel =
  | string
  | {
      readonly model: string;
      readonly baseUrl?: string | undefined;
      readonly apiKey?: string | undefined;
      readonly maxTokens?: number | undefined;
    };

/** How to extract metadata from answers. */
export interface ExtractConfig {
  /** Strategies to try, in this order. */
  readonly strategies?: readonly ExtractStrategy[] | undefined;
  /** The second model, for the strategy `model`. */
  readonly model?: SecondModel | undefined;
  /** True to add instructions for writing metadata to the prompt. */
  readonly instruct?: boolean | undefined;
  /** Maximum correction requests per answer. */
  readonly corrections?: 0 | 1 | undefined;
}

/** The prompt of an agent, and the metadata of its answers. */
export interface RoleConfig {
  readonly prompt?: string | undefined;
  /** A markdown file with the prompt; its front matter is ignored. */
  readonly promptFile?: string | undefined;
  /** The metadata's JSON Schema or, in a module, any Standard Schema, such as one of zod. */
  readonly schema?: JsonObject | MetaSchema | undefined;
  /** Overrides the common settings, field by field. */
  readonly extract?: ExtractConfig | undefined;
}

/** Access rule and grants of an agent. Missing fields keep their default. */
export interface RuleConfig extends RuleChange {
  readonly grants?: readonly Grant[] | undefined;
}

/** A session opened on a schedule. */
export interface ScheduleConfig extends ScheduledSession {
  /** The participant that opens it. */
  readonly as: string;
  readonly cron: string;
  /** Time zone (default: that of this machine). */
  readonly zone?: string | undefined;
  readonly missed?: MissedTimes | undefined;
  readonly overlap?: boolean | undefined;
}

export interface Config {
  readonly hub?: HubConfig | undefined;
  /** By name. */
  readonly agents?: Readonly<Record<string, AgentConfig>> | undefined;
  readonly roles?: Readonly<Record<string, RoleConfig>> | undefined;
  /** Extraction settings for all roles with a schema. */
  readonly extract?: ExtractConfig | undefined;
  /** Prices that override the built-in ones. */
  readonly prices?: PriceList | undefined;
  /** By agent name; `*` = all agents of the file. */
  readonly rules?: Readonly<Record<string, RuleConfig>> | undefined;
  /** By name. */
  readonly schedules?: Readonly<Record<string, ScheduleConfig>> | undefined;
}

/** Returns the config unchanged; in `parley.config.ts` it gives editors the type. */
export function defineConfig(config: Config): Config {
  return config;
}
