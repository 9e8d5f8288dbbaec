/**
 * Roles: agents with a prompt, whose answers have metadata of a schema.
 *
 * role-turn.ts asks the agent; `extract/` looks for the metadata: in the answer, by a tool call, or with a second model.
 * Must stay true: metadata is never guessed; a wrong answer is corrected at most once. Start reading at role.ts.
 */

export { ExtractError, isExtractError } from './extract/extract-error.ts';
export { EXTRACT_STRATEGIES, type ExtractSettings, type ExtractStrategy, mergeExtract } from './extract/settings.ts';
export type {
  ExtractIssue,
  MetaOf,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './lib/standard-schema.ts';
export { type AnyRole, createRole, type MetaSchema, type Role, type RoleAnswer } from './role.ts';
